import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// Sends an impression and notifies listeners.
    func sendActivation(
        _ impression: Impression, of result: LegacyDecision, _ user: User, _ attributes: [String: Any]?
    ) {
        let event = EventParameters(runtime.send(impression, of: user, with: result.snapshot)).values
        parts.eventDispatcher.dispatchImpressionEvent(event, callback: nil)
        guard let rule = result.decision.rule, let variation = result.decision.variation else { return }
        notify(.activate, user, attributes) {
            ["experiment": OPTLYExperiment(rule), "variation": OPTLYVariation(variation), "event": event]
        }
    }

    func notifyOfDecision(
        _ type: String, _ user: User, _ attributes: [String: Any]?, _ info: @autoclosure () -> [String: Any]
    ) {
        notify(.decision, user, attributes) { ["type": type, "decisionInfo": info()] }
    }

    func notify(
        _ type: OPTLYNotificationType, _ user: User, _ attributes: [String: Any]?,
        _ arguments: () -> [AnyHashable: Any]
    ) {
        guard center.hasListeners(type) else { return }
        var arguments = arguments()
        arguments["userId"] = user.id
        arguments["attributes"] = attributes
        center.sendNotifications(type, args: arguments)
    }
}
