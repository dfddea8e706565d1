import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// The parsed datafile, or nil, with an error in the log, if there is none.
    var project: Project? {
        if runtime.project == nil {
            parts.log(.error, "the client has no datafile, so the call returns nothing; initialize the manager again")
        }
        return runtime.project
    }

    func user(_ id: String, _ attributes: [String: Any]?) -> User {
        var user = User(id, attributes: Attributes(legacyValues: attributes))
        user.hasTruncatedBuckets = parts.legacyBucketing
        return user
    }

    // MARK: Experiments

    func decide(_ experimentKey: String, for user: User, _ attributes: [String: Any]?) -> LegacyDecision? {
        guard let project else { return nil }
        guard !experimentKey.isEmpty, let experiment = project.experiment(experimentKey) else {
            parts.log(.error, "the datafile has no experiment \"\(experimentKey)\"; the call returns nil")
            return nil
        }
        let result = runtime.evaluateLegacy(experimentKey, for: user) { project, user, profile in
            project.decideExperiment(experimentKey, for: user, profile: profile)
        }
        guard let result else { return nil }
        notifyOfDecision(
            project.isFeatureExperiment(experiment) ? "feature-test" : "ab-test", user, attributes,
            ["experimentKey": experimentKey, "variationKey": result.decision.variationKey.orNull])
        return result
    }

    // MARK: Features

    func flag(_ key: String?) -> Flag? {
        guard let project else { return nil }
        let flag = key.flatMap { project.flag($0) }
        if flag == nil { parts.log(.error, "the datafile has no feature \"\(key ?? "")\"; the call returns nothing") }
        return flag
    }

    func decide(_ flag: Flag, for user: User) -> LegacyDecision? {
        runtime.evaluateLegacy(flag.key, for: user) { project, user, profile in
            project.decideFeature(flag.key, for: user, profile: profile)
        }
    }

    func variable<Value>(
        _ key: String?, _ type: String, of featureKey: String?, _ userId: String?, _ attributes: [String: Any]?,
        _ read: (String) -> Value
    ) -> Value? {
        guard let flag = flag(featureKey), let userId else { return nil }
        guard let variable = flag.variables.last(where: { $0.key == key }), variable.typeName == type else {
            let variable = "\(type) variable \"\(key ?? "")\""
            parts.log(.error, "the feature \"\(flag.key)\" has no \(variable); the call returns nil")
            return nil
        }
        let user = user(userId, attributes)
        guard let decision = decide(flag, for: user)?.decision else { return nil }
        let value = read(decision.text(of: variable))
        notifyOfDecision(
            "feature-variable", user, attributes,
            decision.featureInfo.merging(
                ["variableKey": variable.key, "variableType": type, "variableValue": value]) { $1 })
        return value
    }
}
