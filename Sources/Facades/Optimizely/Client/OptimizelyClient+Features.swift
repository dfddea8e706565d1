import Foundation
import TurnoutClient

// The calls for a flag that predate `decide`.

extension OptimizelyClient {
    /// Returns whether a flag is on for a user. Sends an impression if an experiment or a holdout decided.
    ///
    /// - Parameters:
    ///   - featureKey: The key of the flag.
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: Whether the flag is on; false, with an error in the log, if there is no datafile or no such flag.
    public func isFeatureEnabled(
        featureKey: String, userId: String, attributes: OptimizelyAttributes? = nil
    ) -> Bool {
        guard let project = parts.runtime.project else {
            parts.log.report(.sdkNotReady)
            return false
        }
        // Checked before the user profile lookup, as in the vendor's client.
        guard project.flag(featureKey) != nil else {
            parts.log.report(.featureKeyInvalid(featureKey))
            return false
        }
        return isEnabled(featureKey, for: UserContent(userId, attributes))
    }

    /// Returns the keys of the flags that are on for a user, in the datafile's order. Sends the same impressions as
    /// ``isFeatureEnabled(featureKey:userId:attributes:)`` does for each flag.
    ///
    /// - Parameters:
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The keys; empty, with an error in the log, if there is no datafile.
    public func getEnabledFeatures(userId: String, attributes: OptimizelyAttributes? = nil) -> [String] {
        guard let project = parts.runtime.project else {
            parts.log.report(.sdkNotReady)
            return []
        }
        let user = UserContent(userId, attributes)
        return project.flags.map(\.key).filter { isEnabled($0, for: user) }
    }

    private func isEnabled(_ featureKey: String, for user: UserContent) -> Bool {
        guard let result = decideFeature(featureKey, for: user) else {
            parts.log.report(.featureKeyInvalid(featureKey))
            return false
        }
        let decision = result.decision
        if let impression = decision.impression {
            let event = parts.runtime.send(impression, of: user.user, with: result.snapshot)
            parts.notifications.sendActivation(decision, event, user)
        }
        parts.notifications.sendDecision("feature", user) { decision.featureInfo }
        return decision.isEnabled
    }

    /// The decision for a flag, or nil if there is no such flag.
    func decideFeature(_ featureKey: String, for user: UserContent) -> LegacyDecision? {
        parts.runtime.evaluateLegacy(featureKey, for: user.user) { project, user, profile in
            project.decideFeature(featureKey, for: user, profile: profile)
        }
    }

    /// Returns a snapshot of the current datafile's contents.
    ///
    /// - Throws: `sdkNotReady` if there is no datafile.
    public func getOptimizelyConfig() throws -> any OptimizelyConfig {
        guard let project = parts.runtime.project else { throw OptimizelyError.sdkNotReady }
        return ConfigSnapshot(project: project) { parts.log(.warning, $0) }
    }
}

extension Decision {
    /// The decision info of a notification about a flag.
    package var featureInfo: [String: Any] {
        var source: [String: Any] = [:]
        if let ruleKey, let variationKey { source = ["experimentKey": ruleKey, "variationKey": variationKey] }
        return [
            "featureKey": flagKey, "featureEnabled": isEnabled, "source": self.source.rawValue, "sourceInfo": source,
        ]
    }
}

extension String? {
    /// The string, or `NSNull` for maps that cannot hold nil.
    package var orNull: Any { self ?? NSNull() as Any }
}
