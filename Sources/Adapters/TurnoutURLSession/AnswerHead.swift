import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What is known of an answer before its body.
struct AnswerHead {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]

    /// Nil if it is no answer in HTTP.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        status = response.statusCode
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            headers[name.lowercased()] = value
        }
        self.headers = headers
    }

    /// Whether this is all there is to say: what is below 200 announces an answer, and none came.
    var isFinal: Bool { status >= 200 }

    /// Whether the head says how long the body is that will arrive.
    ///
    /// It cannot if the body comes in chunks or is compressed. The heads of 204 and 304 may tell the length of a body
    /// that does not come, and the session keeps the body of some redirects to itself.
    var tellsLength: Bool {
        isFinal && status != 204 && !(300..<400).contains(status) && headers["transfer-encoding"] == nil
            && ["", "identity"].contains(headers["content-encoding"]?.lowercased() ?? "")
            && headers["content-length"] != nil
    }

    /// How many bytes the body has. Nil if ``tellsLength`` is false, or if it tells nonsense.
    var length: Int? {
        tellsLength ? headers["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } : nil
    }
}
