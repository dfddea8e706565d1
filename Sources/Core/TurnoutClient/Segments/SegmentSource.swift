/// Knows which segments a user belongs to.
public protocol SegmentSource: Sendable {
    /// Asks which of some segments a user belongs to.
    ///
    /// - Returns: Those of `candidates` that the user belongs to.
    /// - Throws: Anything, if it could not be found out.
    func segments(of userID: String, among candidates: [String]) async throws -> [String]

    /// Asks which of the segments that a datafile's audiences ask for a user belongs to. This is what a client calls; a
    /// source that the datafile says more to, such as whom to ask, reads it here, and one that wraps another forwards
    /// it. Default: asks among `Project.qualifiedSegments`.
    ///
    /// - Returns: Those of the segments that the user belongs to.
    /// - Throws: Anything, if it could not be found out.
    func segments(of userID: String, by project: Project) async throws -> [String]
}

extension SegmentSource {
    /// Asks among the segments that the datafile's audiences ask for.
    public func segments(of userID: String, by project: Project) async throws -> [String] {
        try await segments(of: userID, among: project.qualifiedSegments)
    }
}

/// A source whose segments are handed in by the program itself.
public final class MemorySegmentSource: SegmentSource {
    private struct State {
        var segments: [String: Set<String>]
        var questions: [String] = []
        var failure: (any Error)?
    }

    private let state: Locked<State>

    /// Creates a source: segments by user id.
    public init(_ segments: [String: Set<String>] = [:]) { state = Locked(State(segments: segments)) }

    /// Puts a user into segments, in place of those before.
    public func put(_ userID: String, into segments: Set<String>) {
        state.withLock { $0.segments[userID] = segments }
    }

    /// Makes every request fail; nil: no more.
    public func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

    /// Whose segments were asked for, oldest first.
    public var questions: [String] { state.withLock { $0.questions } }

    /// Those of the candidates that the user was put into.
    public func segments(of userID: String, among candidates: [String]) async throws -> [String] {
        try state.withLock { state in
            state.questions.append(userID)
            if let failure = state.failure { throw failure }
            let known = state.segments[userID] ?? []
            return candidates.filter { known.contains($0) }
        }
    }
}

extension SegmentSource where Self == MemorySegmentSource {
    /// Segments by user id.
    public static func memory(_ segments: [String: Set<String>]) -> MemorySegmentSource {
        MemorySegmentSource(segments)
    }
}
