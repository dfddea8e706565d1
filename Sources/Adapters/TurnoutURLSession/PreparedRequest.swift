import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that may be sent, as the session wants it.
struct PreparedRequest: Sendable {
    let urlRequest: URLRequest
    let deadline: Duration
    let maximumResponseSize: Int

    /// Checks a request.
    ///
    /// - Throws: `TransportError` with the code `badAddress` or `deadlineExceeded`.
    init(_ request: HTTPRequest, _ options: URLSessionTransport.Options) throws(TransportError) {
        guard request.deadline > .zero else { throw TransportError(.deadlineExceeded, "no time for an answer") }
        deadline = min(request.deadline, Self.longestDeadline)
        maximumResponseSize = options.maximumResponseSize
        var prepared = URLRequest(url: try Self.url(request.url, options))
        prepared.httpMethod = request.method.rawValue
        // The system measures a pause between two pieces. The deadline is shorter, and what counts.
        prepared.timeoutInterval = deadline / .seconds(1) + 5
        if request.method == .post { prepared.httpBody = Data(request.body) }
        try Self.set(options.userAgent, for: "User-Agent", of: &prepared)
        for (name, value) in request.headers { try Self.set(value, for: name, of: &prepared) }
        urlRequest = prepared
    }

    // More than that, and the system's counters overflow.
    private static let longestDeadline = Duration.seconds(366 * 86_400)

    private static func url(
        _ text: String, _ options: URLSessionTransport.Options
    ) throws(TransportError) -> URL {
        // Without encoding what must not be in an address: that would be another address than the one that was meant.
        guard let url = URL(string: text, encodingInvalidCharacters: false), let host = url.host(), !host.isEmpty,
            (1...65_535).contains(url.port ?? 443)
        else { throw TransportError(.badAddress, "the address cannot be read, or names no host") }
        guard url.user() == nil, url.password() == nil else {
            throw TransportError(.badAddress, "the address holds a user name; that belongs into a header")
        }
        switch url.scheme?.lowercased() {
        case "https": return url
        case "http" where options.allowsInsecureHTTP: return url
        case "http": throw TransportError(.badAddress, "http is not allowed, only https")
        default: throw TransportError(.badAddress, "the address is not one of https")
        }
    }

    private static func set(
        _ value: String, for name: String, of request: inout URLRequest
    ) throws(TransportError) {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            throw TransportError(.badAddress, "the name of a header holds what must not be in there")
        }
        // A line break would end the header and begin another one.
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw TransportError(.badAddress, "a header holds a line break or another control character")
        }
        guard !["content-length", "transfer-encoding"].contains(name.lowercased()) else { return }
        request.setValue(value, forHTTPHeaderField: name)
    }

    /// Whether a byte may be in the name of a header: RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
