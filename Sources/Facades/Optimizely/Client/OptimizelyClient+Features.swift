import Foundation
import TurnoutClient

// The calls for a flag that came before `decide`.

extension OptimizelyClient {
    /// Whether a flag is on for a user. Sends an impression if an experiment or a holdout decided.
    ///
    /// - Parameters:
    ///   - featureKey: The key of the flag.
    ///   - userId: The user's id.
    ///   - attributes: What is known about the user. Default: nothing.
    /// - Returns: False, with an error in the log, if there is no datafile or no such flag.
    public func isFeatureEnabled(
        featureKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) -> Bool {
        guard parts.core.project != nil else {
            parts.log.report(.sdkNotReady)
            return false
        }
        return isEnabled(featureKey, for: UserContent(userId, attributes))
    }

    /// The flags that are on for a user, in the datafile's order. Each sends what
    /// ``isFeatureEnabled(featureKey:userId:attributes:)`` sends.
    ///
    /// - Returns: Nothing, with an error in the log, if there is no datafile.
    public func getEnabledFeatures(userId: String, attributes: OptimizelyAttributes? = nil) -> [String] {
        guard let project = parts.core.project else {
            parts.log.report(.sdkNotReady)
            return []
        }
        let user = UserContent(userId, attributes)
        return project.flags.map(\.key).filter { isEnabled($0, for: user) }
    }

    private func isEnabled(_ featureKey: String, for user: UserContent) -> Bool {
        guard let made = decideFeature(featureKey, for: user) else {
            parts.log.report(.featureKeyInvalid(featureKey))
            return false
        }
        let decision = made.decision
        if let impression = decision.impression {
            let event = parts.core.send(impression, of: user.user, by: made.snapshot)
            parts.announcer.announceActivation(decision, event, user)
        }
        parts.announcer.announceDecision("feature", user) { decision.featureInfo }
        return decision.isEnabled
    }

    /// The decision of a flag, or nil: there is no such flag.
    func decideFeature(_ featureKey: String, for user: UserContent) -> OlderDecision? {
        parts.core.makeOlder(for: user.user) { project, user, profile in
            project.decideFeature(featureKey, for: user, remembering: profile)
        }
    }

    /// The project as the older interfaces see it.
    ///
    /// - Throws: `sdkNotReady`.
    public func getOptimizelyConfig() throws -> any OptimizelyConfig {
        guard let project = parts.core.project else { throw OptimizelyError.sdkNotReady }
        return ConfigSnapshot(project: project) { parts.log(.warning, $0) }
    }
}

extension Decision {
    /// What a notification about a flag says.
    package var featureInfo: [String: Any] {
        var source: [String: Any] = [:]
        if let ruleKey, let variationKey { source = ["experimentKey": ruleKey, "variationKey": variationKey] }
        return [
            "featureKey": flagKey, "featureEnabled": isEnabled, "source": self.source.rawValue, "sourceInfo": source,
        ]
    }
}

extension String? {
    /// The text, or the null of maps that cannot hold nil.
    package var orNull: Any { self ?? NSNull() as Any }
}
