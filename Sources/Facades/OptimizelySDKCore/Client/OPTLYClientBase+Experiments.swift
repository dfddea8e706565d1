import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// Gives a user a variation of an experiment, and sends an impression.
    @discardableResult
    public func activate(
        _ experimentKey: String, userId: String, attributes: [String: Any]? = nil
    ) -> OPTLYVariation? {
        let user = user(userId, attributes)
        guard let made = decide(experimentKey, for: user, attributes), let impression = made.decision.activation else {
            let message = "the user gets no variation of the experiment \"\(experimentKey)\""
            if core.project != nil { parts.log(.info, message) }
            parts.errorHandler.handleError(OPTLYErrorTypes.userActivate.error(message))
            return nil
        }
        sendActivation(impression, of: made, user, attributes)
        return made.decision.variation.map { OPTLYVariation($0) }
    }

    /// The variation of an experiment that a user gets, or nil: none. No impression is sent.
    @discardableResult
    public func variation(
        _ experimentKey: String, userId: String, attributes: [String: Any]? = nil
    ) -> OPTLYVariation? {
        decide(experimentKey, for: user(userId, attributes), attributes)?.decision.variation.map { OPTLYVariation($0) }
    }

    private func decide(_ experimentKey: String, for user: User, _ attributes: [String: Any]?) -> OlderDecision? {
        guard let project, let experiment = experiment(experimentKey, of: project) else { return nil }
        let made = core.makeOlder(for: user) { project, user, profile in
            project.decideExperiment(experimentKey, for: user, remembering: profile)
        }
        guard let made else { return nil }
        announceDecision(
            project.isFeatureExperiment(experiment) ? "feature-test" : "ab-test", user, attributes,
            ["experimentKey": experimentKey, "variationKey": made.decision.variationKey.orNull])
        return made
    }

    /// The experiment with a key, or nil, with an error in the log: there is none.
    private func experiment(_ key: String, of project: Project) -> Rule? {
        let experiment = key.isEmpty ? nil : project.experiment(key)
        if experiment == nil { parts.log(.error, "there is no experiment \"\(key)\"") }
        return experiment
    }

    // MARK: Forced variations

    /// The variation that ``setForcedVariation(_:userId:variationKey:)`` set, or nil: none.
    @discardableResult
    public func getForcedVariation(_ experimentKey: String, userId: String) -> OPTLYVariation? {
        guard let project else { return nil }
        let key = core.forcedVariation(inExperiment: experimentKey, forUser: userId)
        return project.experiment(experimentKey)?.variations.first { $0.key == key }.map { OPTLYVariation($0) }
    }

    /// Puts a user into a variation of an experiment, in place of what their bucket says. Kept as long as the client.
    @discardableResult
    public func setForcedVariation(_ experimentKey: String, userId: String, variationKey: String?) -> Bool {
        project != nil && core.forceVariation(variationKey, inExperiment: experimentKey, forUser: userId)
    }
}
