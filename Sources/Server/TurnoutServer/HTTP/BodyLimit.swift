/// The maximum size of a request's body.
package struct BodyLimit: Sendable {
    /// The size in bytes, after expansion.
    package var size: Int
    /// The response to a larger one.
    package var refusal = RequestRefusal.bodyTooLarge

    package init(size: Int, refusal: RequestRefusal = .bodyTooLarge) { (self.size, self.refusal) = (size, refusal) }

    /// No body is read.
    package static let none = BodyLimit(size: 0)
    package static let standard = BodyLimit(size: 1 << 20)
    /// An id and a secret.
    package static let credentials = BodyLimit(size: 16 << 10)
    /// A query for segments.
    package static let query = BodyLimit(size: 64 << 10)
    /// A user with attributes.
    package static let evaluation = BodyLimit(size: 256 << 10)
    /// A request with events: that of the vendor's intake.
    package static let events = BodyLimit(size: 3_500_000)
    /// Several requests in one.
    package static let batch = BodyLimit(size: 8 << 20)
    /// A list of users.
    package static let list = BodyLimit(
        size: listSize,
        refusal: RequestRefusal(
            413,
            "the list has more than \(listSize) bytes: split it, replace the list with the first part, and add the "
                + "others with POST or \"turnout segments upload --add\"; nothing was changed"))
    private static let listSize = 16 << 20
}

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
