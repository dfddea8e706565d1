import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// Counts something that a user did.
    public func track(
        _ eventKey: String, userId: String, attributes: [String: Any]? = nil, eventTags: [String: Any]?
    ) {
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

    /// The tags as events carry them: texts and numbers, with `revenue` and `value` as numbers if they can be.
    private func tags(_ given: [String: Any]?) -> [String: AttributeValue] {
        var tags: [String: AttributeValue] = [:]
        for (name, given) in given ?? [:] {
            let value = AttributeValue(anyValue: given)
            switch (name, value) {
            case ("revenue", .string(let text)): tags[name] = Int64(text).map { .integer($0) } ?? value
            case ("value", .string(let text)): tags[name] = Double(text).map { .double($0) } ?? value
            case (_, .string), (_, .integer), (_, .double), (_, .float): tags[name] = value
            default: parts.log(.warning, "the tag \(name) is left out: it is neither a text nor a number")
            }
        }
        return tags
    }
}
