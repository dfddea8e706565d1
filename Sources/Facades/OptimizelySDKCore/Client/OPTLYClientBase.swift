public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because nothing in it changes.
/// What ``OPTLYClient`` and ``Optimizely`` have in common: the calls, and the datafile that they decide by.
public class OPTLYClientBase: NSObject, OptimizelyProtocol, @unchecked Sendable {
    let parts: ClientParts
    let core: Client
    let center: OPTLYNotificationCenter

    init(_ core: Client, _ parts: ClientParts, _ center: OPTLYNotificationCenter = OPTLYNotificationCenter()) {
        (self.core, self.parts, self.center) = (core, parts, center)
    }

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

    /// Sends that a decision gave a user a variation, and tells listeners.
    func sendActivation(
        _ impression: Impression, of made: OlderDecision, _ user: User, _ attributes: [String: Any]?
    ) {
        let event = EventParameters(core.send(impression, of: user, by: made.snapshot)).values
        parts.eventDispatcher.dispatchImpressionEvent(event, callback: nil)
        guard let rule = made.decision.rule, let variation = made.decision.variation else { return }
        announce(.activate, user, attributes) {
            ["experiment": OPTLYExperiment(rule), "variation": OPTLYVariation(variation), "event": event]
        }
    }

    func announceDecision(
        _ type: String, _ user: User, _ attributes: [String: Any]?, _ info: @autoclosure () -> [String: Any]
    ) {
        announce(.decision, user, attributes) { ["type": type, "decisionInfo": info()] }
    }

    func announce(
        _ type: OPTLYNotificationType, _ user: User, _ attributes: [String: Any]?,
        _ arguments: () -> [AnyHashable: Any]
    ) {
        guard center.isHeard(type) else { return }
        var arguments = arguments()
        arguments["userId"] = user.id
        arguments["attributes"] = attributes
        center.sendNotifications(type, args: arguments)
    }
}
