/// Sends events that share a request, and returns the outcome; throws if there was no answer.
///
/// Called for one request at a time. Must end soon after its task was cancelled.
package typealias EventDelivery = @Sendable (_ events: [OutgoingEvent]) async throws -> EventReply

extension EventOptions {
    /// Sends events over a network.
    package func delivery(over transport: any Transport) -> EventDelivery {
        { [endpoints, requestDeadline] events in
            guard let group = events.first?.group else { return .accepted }
            var headers = ["Content-Type": "application/json"]
            headers["x-api-key"] = group.key
            let request = HTTPRequest(
                .post, endpoints.address(of: group), headers: headers,
                body: OutgoingEvent.payload(of: events), deadline: requestDeadline)
            return EventReply(try await transport.send(request), count: events.count)
        }
    }
}

/// Events cannot be sent at present; retrying soon is pointless.
package struct EventsMustWait: Error {
    /// Creates the error.
    package init() {}
}
