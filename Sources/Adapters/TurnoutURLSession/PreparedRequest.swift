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
    init(_ request: HTTPRequest, _ options: TransportOptions) throws(TransportError) {
        try request.check(options)
        deadline = min(request.deadline, Self.longestDeadline)
        maximumResponseSize = options.maximumResponseSize
        // Without encoding what must not be in an address: that would be another address than the one that was meant.
        guard let url = URL(string: request.url, encodingInvalidCharacters: false), url.host() != nil,
            (1...65_535).contains(url.port ?? 443)
        else { throw TransportError(.badAddress, "the address cannot be read, or names no host") }
        var prepared = URLRequest(url: url)
        prepared.httpMethod = request.method.rawValue
        // The system measures a pause between two pieces. The deadline is shorter, and what counts.
        prepared.timeoutInterval = deadline / .seconds(1) + 5
        if request.method == .post { prepared.httpBody = Data(request.body) }
        prepared.setValue(options.userAgent, forHTTPHeaderField: "User-Agent")
        for (name, value) in request.headersToSend { prepared.setValue(value, forHTTPHeaderField: name) }
        urlRequest = prepared
    }

    // More than that, and the system's counters overflow.
    private static let longestDeadline = Duration.seconds(366 * 86_400)
}
