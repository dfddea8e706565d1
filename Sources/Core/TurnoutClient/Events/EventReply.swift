/// The meaning of a receiver's answer for the events of a request.
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
