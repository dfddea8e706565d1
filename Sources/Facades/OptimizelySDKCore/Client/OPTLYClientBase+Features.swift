public import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// Whether a feature is on for a user. Sends an impression if an experiment decided.
    @discardableResult
    public func isFeatureEnabled(
        _ featureKey: String?, userId: String?, attributes: [String: Any]? = nil
    ) -> Bool {
        guard let flag = flag(featureKey), let userId else { return false }
        guard Set(flag.experiments.map { $0.group?.id }).count <= 1 else {
            parts.log(.error, "the experiments of the feature \(flag.key) are of different groups")
            return false
        }
        let user = user(userId, attributes)
        guard let made = decide(flag, for: user) else { return false }
        if made.decision.source != .rollout, let impression = made.decision.impression {
            sendActivation(impression, of: made, user, attributes)
        }
        announceDecision("feature", user, attributes, made.decision.featureInfo)
        return made.decision.isEnabled
    }

    /// The keys of the features that are on for a user. Each sends what asking for it alone would send.
    @discardableResult
    public func getEnabledFeatures(_ userId: String?, attributes: [String: Any]? = nil) -> [String] {
        (project?.flags ?? []).map(\.key).filter { isFeatureEnabled($0, userId: userId, attributes: attributes) }
    }

    private func flag(_ key: String?) -> Flag? {
        guard let project else { return nil }
        let flag = key.flatMap { project.flag($0) }
        if flag == nil { parts.log(.error, "there is no feature \"\(key ?? "")\"") }
        return flag
    }

    private func decide(_ flag: Flag, for user: User) -> OlderDecision? {
        core.makeOlder(for: user) { project, user, profile in
            project.decideFeature(flag.key, for: user, remembering: profile)
        }
    }

    // MARK: Variables

    // The texts of variables are read as their older users are used to: leniently.

    /// The value of a boolean variable, or nil: there is no such variable of this type.
    @discardableResult
    public func getFeatureVariableBoolean(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]? = nil
    ) -> NSNumber? {
        variable(variableKey, "boolean", of: featureKey, for: userId, attributes) {
            NSNumber(value: ($0 as NSString).boolValue)
        }
    }

    /// The value of a double variable, or nil: there is no such variable of this type.
    @discardableResult
    public func getFeatureVariableDouble(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]? = nil
    ) -> NSNumber? {
        variable(variableKey, "double", of: featureKey, for: userId, attributes) {
            NSNumber(value: ($0 as NSString).doubleValue)
        }
    }

    /// The value of an integer variable of 32 bits, or nil: there is no such variable of this type.
    @discardableResult
    public func getFeatureVariableInteger(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]? = nil
    ) -> NSNumber? {
        variable(variableKey, "integer", of: featureKey, for: userId, attributes) {
            NSNumber(value: ($0 as NSString).intValue)
        }
    }

    /// The value of a string variable, or nil: there is no such variable of this type.
    @discardableResult
    public func getFeatureVariableString(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]? = nil
    ) -> String? {
        variable(variableKey, "string", of: featureKey, for: userId, attributes) { $0 }
    }

    private func variable<Value>(
        _ key: String?, _ type: String, of featureKey: String?, for userId: String?, _ attributes: [String: Any]?,
        _ read: (String) -> Value
    ) -> Value? {
        guard let flag = flag(featureKey), let userId else { return nil }
        guard let variable = flag.variables.last(where: { $0.key == key }), variable.typeName == type else {
            parts.log(.error, "the feature \(flag.key) has no \(type) variable \"\(key ?? "")\"")
            return nil
        }
        let user = user(userId, attributes)
        guard let decision = decide(flag, for: user)?.decision else { return nil }
        let value = read(decision.text(of: variable))
        announceDecision(
            "feature-variable", user, attributes,
            decision.featureInfo.merging(
                ["variableKey": variable.key, "variableType": type, "variableValue": value]) { $1 })
        return value
    }
}
