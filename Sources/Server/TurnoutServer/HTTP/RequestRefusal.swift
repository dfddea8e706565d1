/// Why a request is refused before a handler sees it. The connection is closed after the response, because where the
/// next request begins is not certain.
package struct RequestRefusal: Error, Sendable, Equatable {
    package let status: Int
    /// The reason, for the client's developer. It contains nothing of the request.
    package let reason: String

    package init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// The body is larger than ``RequestHandler/bodyLimit(for:)`` allows.
    package static let bodyTooLarge = RequestRefusal(413, "the body is too large")

    package var response: ServerResponse {
        var response = ServerResponse.text(status, reason + "\n")
        response.closesConnection = true
        return response
    }
}

/// The maximum size of a request's body.
package struct BodyLimit: Sendable {
    /// The size in bytes, after inflation.
    package var size: Int
    /// The response to a larger one.
    package var refusal = RequestRefusal.bodyTooLarge
}
