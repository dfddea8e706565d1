/// The segment calls of the facade.
enum SegmentForm: CaseIterable {
    case callBack, asynchronous, blocking

    /// Fetches the segments of a user.
    func callAsFunction(_ user: OptimizelyUserContext, _ options: [OptimizelySegmentOption]) async throws {
        switch self {
        case .callBack:
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                user.fetchQualifiedSegments(options: options) { (error: OptimizelyError?) in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        case .asynchronous: try await user.fetchQualifiedSegments(options: options)
        case .blocking: try await TestSupport.blocking { try user.fetchQualifiedSegments(options: options) }
        }
    }
}

extension TestNetwork {
    /// The data platform of the datafile.
    func platform() -> OdpSegmentSource { .odp(transport: transport) }
}
