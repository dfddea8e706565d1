/// What a receiver's answer means for the events of a request, whoever the receiver is.
package enum EventReply: Sendable, Equatable {
    /// It has them.
    case accepted
    /// It wants none of them, because those at some places are invalid.
    case invalid(Set<Int>)
    /// It wants none of them, and does not say because of which.
    case refused
    /// They are too many bytes at once.
    case tooLarge
    /// It may want them later; at the earliest after some time, if it said so.
    case busy(retryAfter: Duration?)
    /// It is not who should be asked, or does not know the project. Asking again soon does not help.
    case misconfigured(status: Int)

    /// Reads an answer to a request with `count` events.
    package init(_ response: HTTPResponse, count: Int) {
        switch response.status {
        case 200..<300: self = .accepted
        case 300..<400, 401, 403, 404: self = .misconfigured(status: response.status)
        case 408, 425, 429: self = .busy(retryAfter: response.retryAfter)
        case 413: self = .tooLarge
        case 400..<500:
            let places = Self.invalidPlaces(in: response.body, count: count)
            self = places.isEmpty ? .refused : .invalid(places)
        default: self = .busy(retryAfter: response.retryAfter)
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

extension EventReply: CustomStringConvertible {
    /// The meaning, for logs.
    package var description: String {
        switch self {
        case .accepted: "accepted"
        case .invalid(let places): "\(places.count) of them are invalid"
        case .refused: "refused, without saying which of them"
        case .tooLarge: "too many bytes at once"
        case .busy(nil): "the receiver is busy"
        case .busy(let pause?): "the receiver is busy, and asks for a pause of \(pause)"
        case .misconfigured(let status): "the receiver does not want them from here, status \(status)"
        }
    }
}
