/// What the service's answer means for the events of a request.
package enum SegmentEventReply: Sendable, Equatable {
    /// It has them.
    case accepted
    /// It wants none of them, because those at some places are invalid.
    case invalid(Set<Int>)
    /// It wants none of them, and does not say because of which; or they are too many at once.
    case refused
    /// It may want them later.
    case busy
    /// It does not know the project, or is not where the datafile says. Asking again soon does not help.
    case misconfigured

    /// Reads an answer to a request with `count` events.
    package init(_ response: HTTPResponse, count: Int) {
        switch response.status {
        case 200..<300: self = .accepted
        case 300..<400, 401, 403, 404: self = .misconfigured
        case 408, 425, 429: self = .busy
        case 413: self = .refused
        case 400..<500:
            let places = Self.invalidPlaces(in: response.body, count: count)
            self = places.isEmpty ? .refused : .invalid(places)
        default: self = .busy
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

extension OdpService {
    /// The request that hands in events.
    package func request(handingIn events: [SegmentEvent], deadline: Duration = .seconds(10)) -> HTTPRequest {
        var writer = JSONWriter()
        writer.beginArray()
        for event in events { event.write(to: &writer) }
        writer.endArray()
        return request("/v3/events", body: writer.bytes, deadline: deadline)
    }
}
