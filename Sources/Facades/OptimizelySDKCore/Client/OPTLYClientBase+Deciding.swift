import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// The datafile, or nil, with an error in the log: there is none.
    var project: Project? {
        if core.project == nil { parts.log(.error, "the client has no datafile that can be used") }
        return core.project
    }

    func user(_ id: String, _ attributes: [String: Any]?) -> User {
        var user = User(id, attributes: Attributes(anyValues: attributes))
        user.hasTruncatedBuckets = parts.legacyBucketing
        return user
    }

    // MARK: Experiments

    func decide(_ experimentKey: String, for user: User, _ attributes: [String: Any]?) -> OlderDecision? {
        guard let project else { return nil }
        guard !experimentKey.isEmpty, let experiment = project.experiment(experimentKey) else {
            parts.log(.error, "there is no experiment \"\(experimentKey)\"")
            return nil
        }
        let made = core.makeOlder(for: user) { project, user, profile in
            project.decideExperiment(experimentKey, for: user, remembering: profile)
        }
        guard let made else { return nil }
        announceDecision(
            project.isFeatureExperiment(experiment) ? "feature-test" : "ab-test", user, attributes,
            ["experimentKey": experimentKey, "variationKey": made.decision.variationKey.orNull])
        return made
    }

    // MARK: Features

    func flag(_ key: String?) -> Flag? {
        guard let project else { return nil }
        let flag = key.flatMap { project.flag($0) }
        if flag == nil { parts.log(.error, "there is no feature \"\(key ?? "")\"") }
        return flag
    }

    func decide(_ flag: Flag, for user: User) -> OlderDecision? {
        core.makeOlder(for: user) { project, user, profile in
            project.decideFeature(flag.key, for: user, remembering: profile)
        }
    }

    func variable<Value>(
        _ key: String?, _ type: String, of featureKey: String?, _ userId: String?, _ attributes: [String: Any]?,
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
