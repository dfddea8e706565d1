/// Asks Optimizely's data platform for the segments of users.
///
/// ```swift
/// configuration.segments = .odp(transport: transport)
/// ```
///
/// Each question goes to the platform that the datafile of that moment names; address and key are always of the same
/// datafile. A platform that is named here is asked whatever the datafile says:
///
/// ```swift
/// let platform = OdpService(host: "https://api.zaius.com", key: "public-key-of-the-project")
/// configuration.segments = .odp(platform, transport: transport)
/// ```
///
/// A user whose id starts with `vuid_` is known to the platform as a visitor, all others by their ids. A question is
/// asked once; whoever wants to may ask again.
public struct OdpSegmentSource: SegmentSource {
    private let service: OdpService?
    private let transport: any Transport
    private let deadline: Duration

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - service: Whom to ask. Default: whom the datafile names.
    ///   - transport: How to reach the service.
    ///   - deadline: The longest time until an answer is complete. Default: 10 seconds.
    public init(_ service: OdpService? = nil, transport: any Transport, deadline: Duration = .seconds(10)) {
        self.service = service
        self.transport = transport
        self.deadline = deadline
    }

    /// Asks which of the segments that a datafile's audiences ask for a user belongs to. Nobody is asked about none.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`.
    public func segments(of userID: String, by project: Project) async throws -> [String] {
        try await segments(of: userID, among: project.qualifiedSegments, asking: service ?? OdpService(of: project))
    }

    /// Asks which of some segments a user belongs to. Nobody is asked about none.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`. A source that goes by the datafile knows nobody to ask
    ///   here.
    public func segments(of userID: String, among candidates: [String]) async throws -> [String] {
        try await segments(of: userID, among: candidates, asking: service)
    }

    private func segments(
        of userID: String, among candidates: [String], asking service: OdpService?
    ) async throws -> [String] {
        guard !candidates.isEmpty else { return [] }
        guard let service else { throw OdpSegmentError.noService }
        let query = OdpSegmentQuery(userID: userID, candidates: candidates)
        return try await service.answer(to: query, over: transport, deadline: deadline)
    }
}

extension OdpService {
    /// Asks a question.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`.
    package func answer(
        to query: OdpSegmentQuery, over transport: any Transport, deadline: Duration
    ) async throws -> [String] {
        let request = try query.request(to: self, deadline: deadline)
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw OdpSegmentError.unreachable
        }
        return try OdpSegmentQuery.segments(in: response)
    }
}

extension SegmentSource where Self == OdpSegmentSource {
    /// Optimizely's data platform, as the datafile names it.
    public static func odp(transport: any Transport) -> OdpSegmentSource { OdpSegmentSource(transport: transport) }

    /// Optimizely's data platform, whatever the datafile names.
    public static func odp(_ service: OdpService, transport: any Transport) -> OdpSegmentSource {
        OdpSegmentSource(service, transport: transport)
    }
}
