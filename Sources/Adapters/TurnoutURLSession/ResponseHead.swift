import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The head of a response.
struct ResponseHead {
    let status: Int
    let headers: [String: String]

    /// Returns nil if it is not an HTTP response.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        status = response.statusCode
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            headers[name.lowercased()] = value
        }
        self.headers = headers
    }

    /// Whether the response is final: a status below 200 is interim.
    var isFinal: Bool { status >= 200 }

    /// Whether the head contains the length of the body that will arrive.
    ///
    /// It does not if the body is chunked or compressed. The heads of 204 and 304 may contain the length of a body that
    /// is not sent, and the session withholds the body of some redirects.
    var tellsLength: Bool {
        isFinal && status != 204 && !(300..<400).contains(status) && headers["transfer-encoding"] == nil
            && ["", "identity"].contains(headers["content-encoding"]?.lowercased() ?? "")
            && headers["content-length"] != nil
    }

    /// The number of bytes in the body, or nil if ``tellsLength`` is false or the value is invalid.
    var length: Int? {
        tellsLength ? headers["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } : nil
    }
}
