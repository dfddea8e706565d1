/// The meaning of a receiver's response for the events of a request.
package enum EventReply: Sendable, Equatable {
    /// The receiver accepted the events.
    case accepted
    /// It accepted none of them, because the ones at these indices are invalid.
    case invalid(Set<Int>, status: Int)
    /// It accepted none of them, without identifying the invalid ones (400 and 422), or the request was too large
    /// (413).
    case refused(status: Int)
    /// It may accept them later, at the earliest after its `Retry-After`, if it sent one.
    case busy(status: Int, retryAfter: Duration? = nil)
    /// It is not a receiver of events, or does not know the project. Retrying soon is pointless.
    case misconfigured(status: Int)

    /// Interprets the response to a request with `count` events.
    package init(_ response: HTTPResponse, count: Int) {
        let status = response.status
        switch status {
        case 200..<300: self = .accepted
        case 408, 425, 429: self = .busy(status: status, retryAfter: response.retryAfter)
        case 400, 413, 422:
            let places = Self.invalidPlaces(in: response.body, count: count)
            self = places.isEmpty ? .refused(status: status) : .invalid(places, status: status)
        case 300..<500: self = .misconfigured(status: status)
        default: self = .busy(status: status, retryAfter: response.retryAfter)
        }
    }

    private static func invalidPlaces(in body: [UInt8], count: Int) -> Set<Int> {
        guard let reply = try? JSONValue(parsing: body), case .array(let invalids)? = reply["detail"]?["invalids"]
        else {
            return []
        }
        return Set(
            invalids.compactMap { invalid in
                guard case .integer(let place)? = invalid["event"], (0..<Int64(count)).contains(place) else {
                    return nil
                }
                return Int(place)
            })
    }
}

/// The outcome of a request with events.
package enum DeliveryResult: Sendable, Equatable {
    case reply(EventReply)
    /// The request failed; with a description of the cause.
    case failed(String)
    /// The transport rejected the address before anything was sent; with a description of the cause. A retry would fail
    /// too.
    case badAddress(String)
    case noTransport
}

/// Sends events that share a request, and returns the outcome; throws if there was no response.
///
/// Called for one request at a time. Must end soon after its task was canceled.
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
package struct DeliveryPostponed: Error {
    package init() {}
}
