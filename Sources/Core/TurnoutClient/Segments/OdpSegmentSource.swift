/// Asks Optimizely's data platform for the segments of users.
///
/// ```swift
/// configuration.segments = .odp(
///     OdpService(host: "https://api.zaius.com", key: "public-key-of-the-project"), transport: transport)
/// ```
///
/// A user whose id starts with `vuid_` is known to the platform as a visitor, all others by their ids. A question is
/// asked once; whoever wants to may ask again.
public struct OdpSegmentSource: SegmentSource {
    private let service: OdpService
    private let transport: any Transport
    private let deadline: Duration

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - service: Whom to ask.
    ///   - transport: How to reach the service.
    ///   - deadline: The longest time until an answer is complete. Default: 10 seconds.
    public init(_ service: OdpService, transport: any Transport, deadline: Duration = .seconds(10)) {
        self.service = service
        self.transport = transport
        self.deadline = deadline
    }

    /// Asks which of some segments a user belongs to. Nobody is asked about none.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`.
    public func segments(of userID: String, among candidates: [String]) async throws -> [String] {
        guard !candidates.isEmpty else { return [] }
        return try await answer(to: OdpSegmentQuery(userID: userID, candidates: candidates))
    }

    /// Asks a question.
    ///
    /// - Throws: ``OdpSegmentError``, or `CancellationError`.
    package func answer(to query: OdpSegmentQuery) async throws -> [String] {
        let request = try query.request(to: service, deadline: deadline)
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
    /// Optimizely's data platform.
    public static func odp(_ service: OdpService, transport: any Transport) -> OdpSegmentSource {
        OdpSegmentSource(service, transport: transport)
    }
}
