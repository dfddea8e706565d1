public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because nothing in it changes.
/// What ``OPTLYClient`` and ``Optimizely`` have in common: the calls, and the datafile that they decide by.
open class OPTLYClientBase: NSObject, OptimizelyProtocol, @unchecked Sendable {
    let parts: ClientParts
    let core: Client
    let center: OPTLYNotificationCenter

    init(_ core: Client, _ parts: ClientParts, _ center: OPTLYNotificationCenter = OPTLYNotificationCenter()) {
        (self.core, self.parts, self.center) = (core, parts, center)
    }

    // MARK: Experiments

    /// Gives a user a variation of an experiment, and sends an impression.
    @discardableResult
    open func activate(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation? {
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
    open func variation(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation? {
        decide(experimentKey, for: user(userId, attributes), attributes)?.decision.variation.map { OPTLYVariation($0) }
    }

    /// The variation that ``setForcedVariation(_:userId:variationKey:)`` set, or nil: none.
    @discardableResult
    open func getForcedVariation(_ experimentKey: String, userId: String) -> OPTLYVariation? {
        guard let project else { return nil }
        let key = core.forcedVariation(inExperiment: experimentKey, forUser: userId)
        return project.experiment(experimentKey)?.variations.first { $0.key == key }.map { OPTLYVariation($0) }
    }

    /// Puts a user into a variation of an experiment, in place of what their bucket says. Kept as long as the client.
    @discardableResult
    open func setForcedVariation(_ experimentKey: String, userId: String, variationKey: String?) -> Bool {
        project != nil && core.forceVariation(variationKey, inExperiment: experimentKey, forUser: userId)
    }

    // MARK: Features

    /// Whether a feature is on for a user. Sends an impression if an experiment decided.
    @discardableResult
    open func isFeatureEnabled(_ featureKey: String?, userId: String?, attributes: [String: Any]?) -> Bool {
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
    open func getEnabledFeatures(_ userId: String?, attributes: [String: Any]?) -> [String] {
        (project?.flags ?? []).map(\.key).filter { isFeatureEnabled($0, userId: userId, attributes: attributes) }
    }

    // The texts of variables are read as their older users are used to: leniently.

    /// The value of a boolean variable, or nil: there is no such variable of this type.
    @discardableResult
    open func getFeatureVariableBoolean(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber? {
        variable(variableKey, "boolean", of: featureKey, userId, attributes) { ($0 as NSString).boolValue as NSNumber }
    }

    /// The value of a double variable, or nil: there is no such variable of this type.
    @discardableResult
    open func getFeatureVariableDouble(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber? {
        variable(variableKey, "double", of: featureKey, userId, attributes) { ($0 as NSString).doubleValue as NSNumber }
    }

    /// The value of an integer variable of 32 bits, or nil: there is no such variable of this type.
    @discardableResult
    open func getFeatureVariableInteger(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber? {
        variable(variableKey, "integer", of: featureKey, userId, attributes) { ($0 as NSString).intValue as NSNumber }
    }

    /// The value of a string variable, or nil: there is no such variable of this type.
    @discardableResult
    open func getFeatureVariableString(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> String? {
        variable(variableKey, "string", of: featureKey, userId, attributes) { $0 }
    }

    // MARK: Conversions

    /// Counts something that a user did.
    open func track(_ eventKey: String, userId: String, attributes: [String: Any]?, eventTags: [String: Any]?) {
        guard project != nil else { return }
        let user = user(userId, attributes)
        do throws(TrackError) {
            let made = try core.convert(eventKey, for: user, tags: tags(eventTags))
            let event = EventParameters(made.event).values
            parts.eventDispatcher.dispatchConversionEvent(event, callback: nil)
            announce(.track, user, attributes) {
                var arguments: [AnyHashable: Any] = ["eventKey": eventKey, "event": event]
                arguments["eventTags"] = eventTags
                return arguments
            }
        } catch {
            parts.log(.info, "the event \"\(eventKey)\" is not tracked: \(error)")
            parts.errorHandler.handleError(OPTLYErrorTypes.eventTrack.error("\(error)"))
        }
    }
}
