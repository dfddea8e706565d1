/// Fetches users' segments from Optimizely's data platform.
///
/// ```swift
/// configuration.segments = .odp(transport: transport)
/// ```
///
/// Each query goes to the platform in the datafile at that time; address and key are always from the same datafile. A
/// platform that is passed explicitly is used regardless of the datafile:
///
/// ```swift
/// let platform = OdpService(host: "https://api.zaius.com", key: "public-key-of-the-project")
/// configuration.segments = .odp(platform, transport: transport)
/// ```
///
/// A user whose id starts with `vuid_` is identified as a visitor, all others by their ids. Failed queries are not
/// retried.
public struct OdpSegmentSource: SegmentSource {
    private let service: OdpService?
    private let transport: any Transport
    private let deadline: Duration

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - service: The service to query. Default: the one in the datafile.
    ///   - transport: The transport to the service.
    ///   - deadline: The time limit for a complete response. Default: 10 seconds.
    public init(_ service: OdpService? = nil, transport: any Transport, deadline: Duration = .seconds(10)) {
        self.service = service
        self.transport = transport
        self.deadline = deadline
    }

    /// Fetches the user's segments among those that a datafile's audiences use. Without any, no query is sent.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`.
    public func segments(of userID: String, by project: Project) async throws -> [String] {
        try await segments(of: userID, among: project.qualifiedSegments, asking: service ?? OdpService(of: project))
    }

    /// Fetches the user's segments among the given ones. Without any, no query is sent.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`. A source that uses the datafile's service cannot send a
    ///   query here.
    public func segments(of userID: String, among candidates: [String]) async throws -> [String] {
        try await segments(of: userID, among: candidates, asking: service)
    }

    private func segments(
        of userID: String, among candidates: [String], asking service: OdpService?
    ) async throws -> [String] {
        guard !candidates.isEmpty else { return [] }
        guard let service else { throw OdpSegmentError.noService }
        let query = OdpSegmentQuery(userID: userID, candidates: candidates)
        return try await service.segments(for: query, over: transport, deadline: deadline)
    }
}

extension OdpService {
    /// Sends a query.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`.
    package func segments(
        for query: OdpSegmentQuery, over transport: any Transport, deadline: Duration
    ) async throws -> [String] {
        let request = try query.request(to: self, deadline: deadline)
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch let error as CancellationError {
            throw error
        } catch let error as TransportError {
            throw OdpSegmentError.noResponse(error.message)
        } catch {
            throw OdpSegmentError.unreachable
        }
        // Not every transport enforces the request's limit.
        guard response.body.count <= query.largestResponse else { throw OdpSegmentError.unreadable }
        return query.candidates(in: try OdpSegmentQuery.segments(in: response))
    }
}

extension SegmentSource where Self == OdpSegmentSource {
    /// Creates a source for Optimizely's data platform, as configured in the datafile.
    public static func odp(transport: any Transport) -> OdpSegmentSource { OdpSegmentSource(transport: transport) }

    /// Creates a source for Optimizely's data platform, regardless of the datafile.
    public static func odp(_ service: OdpService, transport: any Transport) -> OdpSegmentSource {
        OdpSegmentSource(service, transport: transport)
    }
}

/// A query for a user's segments in the service's format, and the parser for its responses.
package struct OdpSegmentQuery: Sendable, Equatable {
    /// The kind of identifier, such as `fs_user_id`.
    package let userKey: String
    package let userID: String
    package let candidates: [String]

    package init(userKey: String, userID: String, candidates: [String]) {
        self.userKey = userKey
        self.userID = userID
        self.candidates = candidates
    }

    /// Creates a query; the kind of identifier follows from the id.
    package init(userID: String, candidates: [String]) {
        self.init(userKey: OdpUserKey(for: userID).rawValue, userID: userID, candidates: candidates)
    }

    /// The request for the query.
    ///
    /// - Throws: ``OdpSegmentError/invalidQuery`` if the user key is not a name: it becomes part of the query's text,
    ///   while everything else is passed as a variable.
    package func request(
        to service: OdpService, deadline: Duration = .seconds(10)
    ) throws(OdpSegmentError) -> HTTPRequest {
        guard !userKey.isEmpty, userKey.utf8.allSatisfy(Self.isNameByte) else { throw .invalidQuery }
        let writer = JSONWriter.object {
            $0.member(
                "query",
                "query($userId: String, $audiences: [String]) "
                    + "{customer(\(userKey): $userId) {audiences(subset: $audiences) {edges {node {name state}}}}}")
            $0.object("variables") {
                $0.member("userId", userID)
                $0.member("audiences", candidates)
            }
        }
        var request = service.request("/v3/graphql", body: writer.bytes, deadline: deadline)
        request.maximumResponseSize = largestResponse
        return request
    }

    /// The maximum size of a response in bytes: all candidates with every byte escaped and their surrounding JSON, and
    /// room for errors.
    package var largestResponse: Int { candidates.reduce(1 << 16) { $0 + 6 * $1.utf8.count + 256 } }

    /// The requested segments that a response contains, without duplicates. A service may return any number of others.
    package func candidates(in segments: [String]) -> [String] {
        var asked = Set(candidates.map { ByteKey($0) })
        return segments.filter { asked.remove(ByteKey($0)) != nil }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }

    /// Reads the segments from a response.
    ///
    /// - Throws: ``OdpSegmentError`` if the response contains no segments.
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

    /// Only the first error counts, and only if it is classified; other failures show as missing data.
    private static func serviceError(in reply: JSONValue) -> OdpSegmentError? {
        guard case .array(let errors)? = reply["errors"],
            let extensions = errors.first?["extensions"],
            case .string(let classification)? = extensions["classification"]
        else { return nil }
        if case .string("INVALID_IDENTIFIER_EXCEPTION")? = extensions["code"] { return .invalidIdentifier }
        return .service(classification)
    }
}

/// Why the service did not return a user's segments.
public enum OdpSegmentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The datafile does not name the service with both its address and its key.
    case noService
    /// The query cannot be sent.
    case invalidQuery
    /// There was no response.
    case unreachable
    /// There was no response; carries the transport's description of the cause.
    case noResponse(String)
    /// The response was an HTTP error, such as 403.
    case status(Int)
    /// The response was not in the service's format.
    case unreadable
    /// The service does not accept the user's id.
    case invalidIdentifier
    /// The service reported an error; carries its classification.
    case service(String)

    /// A description of the error. Contains no personal data.
    public var description: String {
        switch self {
        case .noService: "neither the datafile nor the configuration names the data platform's address and key"
        case .invalidQuery: "the key that identifies the user is invalid"
        case .unreachable: "the data platform could not be reached"
        case .noResponse(let cause): "the data platform did not respond: \(cause)"
        case .status(let status): "the data platform responded with HTTP status \(status)"
        case .unreadable: "the response of the data platform is not a list of segments"
        case .invalidIdentifier: "the data platform does not accept the user's id"
        case .service(let classification): "the data platform reports the error \(classification.shortened)"
        }
    }

    /// The error in the wording of the vendor's clients.
    package var vendorText: String {
        switch self {
        case .noService: "apiKey/apiHost not defined"
        case .invalidQuery: "invalid query."
        case .unreachable, .noResponse: "network error"
        case .status(let status): "\(status)"
        case .unreadable: "decode error"
        case .invalidIdentifier: "invalid identifier"
        case .service(let classification): classification
        }
    }
}

extension OdpSegmentError: PrintableError {}

extension String {
    /// The beginning, for messages: the service may send a string of any length.
    fileprivate var shortened: String {
        utf8.count <= 100 ? self : String(decoding: utf8.prefix(100), as: UTF8.self) + "…"
    }
}
