import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
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

    /// The tags as events carry them: texts and numbers, with `revenue` and `value` as numbers if they can be.
    func tags(_ given: [String: Any]?) -> [String: AttributeValue] {
        var tags: [String: AttributeValue] = [:]
        for (name, given) in given ?? [:] {
            let value = AttributeValue(anyValue: given)
            tags[name] = value
            switch (name, value) {
            case ("revenue", .string(let text)):
                tags[name] = Int64(text).map { .integer($0) } ?? value
                parts.log(.warning, "the tag revenue is a text, not a whole number of cents")
            case ("revenue", .double), ("revenue", .float):
                parts.log(.warning, "the tag revenue counts without its fraction")
            case ("value", .string(let text)): tags[name] = Double(text).map { .double($0) } ?? value
            case (_, .string), (_, .integer), (_, .double), (_, .float): break
            default:
                tags[name] = nil
                parts.log(.warning, "the tag \(name) is left out: it is neither a text nor a number")
            }
        }
        return tags
    }
}
