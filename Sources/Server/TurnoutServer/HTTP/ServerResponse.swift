import TurnoutEngine

/// A response to a request.
package struct ServerResponse: Sendable {
    /// The content of a response.
    package enum Body: Sendable {
        /// The complete content; may be empty.
        case bytes([UInt8])
        /// Content that many responses share, such as a datafile. A listener may keep it prepared.
        case shared(SharedBody)
        /// Content that is produced while the connection is open.
        case stream(ResponseStream)
        /// No response: the connection is closed. Clients that take any status for success keep their events then.
        case closed
    }

    /// The status code, such as 200.
    package var status: Int
    /// The headers, without `Content-Length`, `Date` and `Connection`, which the listener writes.
    package var headers: HeaderFields
    package var body: Body
    /// Whether the connection is closed after the response. Default: false.
    package var closesConnection = false

    package init(_ status: Int, headers: HeaderFields = HeaderFields(), body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response of text.
    package static func text(_ status: Int, _ text: String) -> ServerResponse {
        ServerResponse(
            status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
    }

    /// Creates a response of JSON.
    package static func json(_ status: Int = 200, _ bytes: [UInt8]) -> ServerResponse {
        ServerResponse(status, headers: ["Content-Type": "application/json; charset=utf-8"], body: .bytes(bytes))
    }

    /// Creates a response of one line: a JSON object, whose members a function writes.
    static func json(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> ServerResponse {
        var writer = JSONWriter.object(write)
        writer.newline()
        return json(status, writer.bytes)
    }

    /// Creates a response of one line: a JSON object.
    static func json(_ members: [String: JSONValue]) -> ServerResponse {
        json(200, Array((JSONValue.object(members).compactText + "\n").utf8))
    }

    /// Creates a response of `{"error": …}`.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - problem: The problem, for people.
    ///   - code: The problem's name, for programs, if another problem has the same status. Default: nil.
    /// - Returns: The response.
    package static func error(_ status: Int, _ problem: String, code: String? = nil) -> ServerResponse {
        .json(status) {
            $0.member("error", problem)
            if let code { $0.member("code", code) }
        }
    }

    /// Leads a browser to another page, which it requests with `GET`.
    package static func redirection(to path: String) -> ServerResponse {
        ServerResponse(303, headers: ["Location": path, "Cache-Control": "no-store"])
    }

    /// The response that closes the connection without an answer.
    package static let closed = ServerResponse(0, body: .closed)
}

/// Content that many responses share. Its identity stands for its content, which never changes.
package final class SharedBody: Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}
