extension FlagClient {
    /// Fetches the segments of a user that the datafile's audiences use.
    ///
    /// Does not perform a request if the audiences use none. Results are cached; see ``SegmentOptions``.
    ///
    /// - Throws: ``SegmentError``.
    public func segments(
        of userID: String, options: FetchSegmentsOptions = []
    ) async throws(SegmentError) -> Set<String> {
        guard let project else { throw .notReady }
        guard let source = configuration.segments else { throw .noSource }
        guard !project.qualifiedSegments.isEmpty else { return [] }
        return Set(
            try await segments.segments(of: userID, options: options) { [self] () async throws(SegmentError) in
                // Reads the current datafile here: a result for an earlier one must not be cached for this one.
                guard let project = self.project, !project.qualifiedSegments.isEmpty else { return [] }
                let found: [String]
                do { found = try await source.segments(of: userID, by: project) } catch { throw .failed(error) }
                // A source may return any number of other segments. Segments that no audience uses are dropped.
                return OdpSegmentQuery(userID: userID, candidates: project.qualifiedSegments).candidates(in: found)
            })
    }
}

/// Why a user's segments are unknown.
public enum SegmentError: Error, Sendable, CustomStringConvertible {
    /// There is no datafile yet.
    case notReady
    /// No segment source is configured.
    case noSource
    /// The source failed.
    case failed(any Error)

    /// A description of the error.
    public var description: String {
        switch self {
        case .notReady: "segments cannot be fetched before the client has a datafile; start it first"
        case .noSource: "the configuration has no source of segments; set ClientConfiguration.segments"
        case .failed(let error): "segments could not be fetched: \(error)"
        }
    }
}
