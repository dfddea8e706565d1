import TurnoutClient
import TurnoutEngine

extension Agent {
    /// `GET /v1/notifications/event-stream`: decisions, conversions and changes of the datafile, as they happen.
    func notifications(_ call: AgentCall) -> ServerResponse {
        guard configuration.allowsNotifications else { return .text(403, "Notification stream not enabled\n") }
        let query = call.request.head.query
        let filters = query.values("filter")
        // Unknown names are ignored, so a list of only such names receives nothing.
        let kinds =
            filters.isEmpty
            ? NotificationKind.allCases
            : filters.flatMap { $0.split(separator: ",") }.compactMap { NotificationKind(rawValue: String($0)) }
        let stream = call.client.notifications.subscribe(
            to: Set(kinds), isRaw: query["raw"] != nil, after: call.request.head.headers["Last-Event-ID"])
        guard let stream else { return .agentError(503, "too many notification streams") }
        return .events(stream)
    }
}
