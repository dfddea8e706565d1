import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A checked request in the form that the session needs.
struct PreparedRequest: Sendable {
    let urlRequest: URLRequest
    /// The host, for error messages.
    let host: String
    let deadline: Duration
    let maximumResponseSize: Int

    /// Checks a request.
    ///
    /// - Throws: `TransportError` with the code `badAddress` or `deadlineExceeded`.
    init(_ request: HTTPRequest, _ options: TransportOptions, isStream: Bool = false) throws(TransportError) {
        try request.check(options)
        guard options.certificateAuthorityFile == nil else {
            throw TransportError(
                .badAddress,
                "URLSessionTransport does not support certificateAuthorityFile; add the authority to the system's "
                    + "certificates, or use CurlTransport")
        }
        host = String(request.authority)
        deadline = min(request.deadline, Self.longestDeadline)
        maximumResponseSize = options.maximumResponseSize
        // Invalid characters are not encoded: that would change the address.
        guard let url = URL(string: request.url, encodingInvalidCharacters: false), url.host() != nil,
            (1...65_535).contains(url.port ?? 443)
        else { throw .unreadableAddress }
        var prepared = URLRequest(url: url)
        prepared.httpMethod = request.method.rawValue
        // The system's timeout limits the pause between two pieces. The deadline is shorter and takes precedence; a
        // stream may pause for longer.
        prepared.timeoutInterval = (isStream ? Self.longestDeadline : deadline) / .seconds(1) + 5
        if request.method == .post { prepared.httpBody = Data(request.body) }
        prepared.setValue(options.userAgent, forHTTPHeaderField: "User-Agent")
        for (name, value) in request.headersToSend { prepared.setValue(value, forHTTPHeaderField: name) }
        urlRequest = prepared
    }

    // Longer deadlines would overflow the system's counters.
    private static let longestDeadline = Duration.seconds(366 * 86_400)
}
