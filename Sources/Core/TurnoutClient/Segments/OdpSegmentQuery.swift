/// The question which segments a user belongs to, as the service understands it, and the meaning of its answers.
package struct OdpSegmentQuery: Sendable, Equatable {
    /// The name that the service knows the user by, such as `fs_user_id`.
    package let userKey: String
    /// The user's id under that name.
    package let userID: String
    /// The segments in question.
    package let candidates: [String]

    /// Creates a question.
    package init(userKey: String, userID: String, candidates: [String]) {
        self.userKey = userKey
        self.userID = userID
        self.candidates = candidates
    }

    /// Creates a question; the id says which name it goes by.
    package init(userID: String, candidates: [String]) {
        self.init(userKey: OdpUserKey(for: userID).rawValue, userID: userID, candidates: candidates)
    }

    /// The request that asks the question.
    ///
    /// - Throws: ``OdpSegmentError/invalidQuery``, if the user's key is no name: it becomes part of the query's text,
    ///   where everything else travels as a variable.
    package func request(
        to service: OdpService, deadline: Duration = .seconds(10)
    ) throws(OdpSegmentError) -> HTTPRequest {
        guard !userKey.isEmpty, userKey.utf8.allSatisfy(Self.isNameByte) else { throw .invalidQuery }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("query")
        writer.string(
            "query($userId: String, $audiences: [String]) "
                + "{customer(\(userKey): $userId) {audiences(subset: $audiences) {edges {node {name state}}}}}")
        writer.key("variables")
        writer.beginObject()
        writer.key("userId")
        writer.string(userID)
        writer.key("audiences")
        writer.beginArray()
        for candidate in candidates { writer.string(candidate) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        return service.request("/v3/graphql", body: writer.bytes, deadline: deadline)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }

    /// Reads the segments out of an answer.
    ///
    /// - Throws: ``OdpSegmentError``, if the service did not tell.
    package static func segments(in response: HTTPResponse) throws(OdpSegmentError) -> [String] {
        guard response.status < 400 else { throw .status(response.status) }
        guard let reply = try? JSONValue(parsing: response.body), case .object = reply else { throw .unreadable }
        if let error = serviceError(in: reply) { throw error }
        guard case .array(let edges)? = reply["data"]?["customer"]?["audiences"]?["edges"] else { throw .unreadable }
        var segments: [String] = []
        for edge in edges {
            guard case .object = edge else { throw .unreadable }
            guard case .string(let name)? = edge["node"]?["name"],
                case .string("qualified")? = edge["node"]?["state"]
            else { continue }
            segments.append(name)
        }
        return segments
    }

    /// Only the first error counts, and only if it is classified; anything else shows in what is missing.
    private static func serviceError(in reply: JSONValue) -> OdpSegmentError? {
        guard case .array(let errors)? = reply["errors"],
            let extensions = errors.first?["extensions"],
            case .string(let classification)? = extensions["classification"]
        else { return nil }
        if case .string("INVALID_IDENTIFIER_EXCEPTION")? = extensions["code"] { return .invalidIdentifier }
        return .service(classification)
    }
}

/// Why the service did not tell which segments a user belongs to.
public enum OdpSegmentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The datafile names nobody to ask, or not the address and the key both.
    case noService
    /// The question cannot be asked.
    case invalidQuery
    /// There was no answer.
    case unreachable
    /// The answer was an error of HTTP, such as 403.
    case status(Int)
    /// The answer was something else than the service's answers are.
    case unreadable
    /// The service does not accept the user's id.
    case invalidIdentifier
    /// The service reports an error, by its own name for the kind.
    case service(String)

    /// The error in the words that the vendor's clients use.
    public var description: String {
        switch self {
        case .noService: "apiKey/apiHost not defined"
        case .invalidQuery: "invalid query."
        case .unreachable: "network error"
        case .status(let status): "\(status)"
        case .unreadable: "decode error"
        case .invalidIdentifier: "invalid identifier"
        case .service(let classification): classification
        }
    }
}
