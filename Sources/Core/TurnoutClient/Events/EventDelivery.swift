/// Sends events that share a request. Returns when they have arrived, and throws if they have not.
///
/// Called for one request at a time. Must end soon after its task was cancelled.
package typealias EventDelivery = @Sendable (_ events: [OutgoingEvent]) async throws -> Void

extension EventOptions {
    /// Sends events over a network; an answer that is no success is a failure.
    func delivery(over transport: any Transport) -> EventDelivery {
        { [endpoints, requestDeadline] events in
            guard let group = events.first?.group else { return }
            let request = HTTPRequest(
                .post, group.address ?? endpoints[group.region], headers: ["Content-Type": "application/json"],
                body: OutgoingEvent.payload(of: events), deadline: requestDeadline)
            let response = try await transport.send(request)
            guard response.isSuccess else { throw EventRefusal(status: response.status) }
        }
    }
}

/// There is no way to send events at present; trying again at once is pointless.
package struct EventsMustWait: Error {
    /// Creates the error.
    package init() {}
}

/// The receiver answered, but did not take the events.
package struct EventRefusal: Error, Equatable, CustomStringConvertible {
    /// The status of the answer.
    package let status: Int

    /// Creates an error.
    package init(status: Int) { self.status = status }

    /// The error in words.
    package var description: String { "answer \(status)" }
}
