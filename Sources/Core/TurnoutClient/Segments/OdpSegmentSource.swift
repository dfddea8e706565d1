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
