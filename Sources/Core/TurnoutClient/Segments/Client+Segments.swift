extension Client {
    /// Which segments a user belongs to, of those that the datafile's audiences ask for.
    ///
    /// Nobody is asked if the audiences ask for none. Answers are kept for a while; see ``SegmentOptions``.
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
                // By the datafile of this moment: an answer for the one before must not be kept for this one.
                guard let project = self.project, !project.qualifiedSegments.isEmpty else { return [] }
                do { return try await source.segments(of: userID, by: project) } catch {
                    throw .failed(error)
                }
            })
    }
}

/// Why the segments of a user are not known.
public enum SegmentError: Error, Sendable, CustomStringConvertible {
    /// There is no datafile yet.
    case notReady
    /// The configuration names nobody to ask.
    case noSource
    /// The source could not tell.
    case failed(any Error)

    /// The error in words.
    public var description: String {
        switch self {
        case .notReady: "there is no datafile yet"
        case .noSource: "there is nobody to ask for segments"
        case .failed(let error): "segments could not be fetched: \(error)"
        }
    }
}
