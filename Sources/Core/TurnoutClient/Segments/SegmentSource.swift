/// A source of users' segments.
///
/// `fetchSegments` of a user calls a source, from a task and for several users at a time; decisions never do.
/// Concurrent calls for one user share a request, and results are cached as ``SegmentOptions`` say, unless the call
/// ignores the cache. A lookup whose callers are all canceled is canceled, too. An error is passed to the caller as
/// ``SegmentError/failed(_:)``. A source must not block the thread of its task, and sets its own time limit.
///
/// ```swift
/// struct CustomerSegments: SegmentSource {
///     let customers: CustomerService
///
///     func segments(of userID: String, among candidates: [String]) async throws -> [String] {
///         let groups = try await customers.groups(of: userID)
///         return candidates.filter { groups.contains($0) }
///     }
/// }
/// ```
///
/// ``MemorySegmentSource`` is a source for tests. `checkSegmentSource` of `TurnoutTestKit` checks what a source has to
/// guarantee.
public protocol SegmentSource: Sendable {
    /// Fetches the user's segments among the given ones.
    ///
    /// - Returns: The candidates that the user belongs to.
    /// - Throws: Any error, if the lookup failed.
    func segments(of userID: String, among candidates: [String]) async throws -> [String]

    /// Fetches the user's segments among those that a datafile's audiences use. Clients call this method. Implement it
    /// if the source reads more from the datafile, such as its service, or wraps another source. Default: queries
    /// `Project.qualifiedSegments`.
    ///
    /// - Returns: The segments that the user belongs to.
    /// - Throws: Any error, if the lookup failed.
    func segments(of userID: String, by project: Project) async throws -> [String]
}

extension SegmentSource {
    /// Queries the segments that the datafile's audiences use.
    public func segments(of userID: String, by project: Project) async throws -> [String] {
        try await segments(of: userID, among: project.qualifiedSegments)
    }
}

/// A source whose segments the program passes in.
public final class MemorySegmentSource: SegmentSource {
    private struct State {
        var segments: [String: Set<String>]
        var requestedUserIDs: [String] = []
        var failure: (any Error)?
    }

    private let state: Locked<State>

    /// Creates a source with segments by user id.
    public init(_ segments: [String: Set<String>] = [:]) { state = Locked(State(segments: segments)) }

    /// Sets a user's segments.
    public func put(_ userID: String, into segments: Set<String>) {
        state.withLock { $0.segments[userID] = segments }
    }

    /// Makes every request fail; nil for no more failures.
    public func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

    /// The ids of the users whose segments were requested, oldest first.
    public var requestedUserIDs: [String] { state.withLock { $0.requestedUserIDs } }

    /// The candidates that the user belongs to.
    public func segments(of userID: String, among candidates: [String]) async throws -> [String] {
        try state.withLock { state in
            state.requestedUserIDs.append(userID)
            if let failure = state.failure { throw failure }
            let known = state.segments[userID] ?? []
            return candidates.filter { known.contains($0) }
        }
    }
}

extension SegmentSource where Self == MemorySegmentSource {
    /// Creates a source with segments by user id.
    public static func memory(_ segments: [String: Set<String>]) -> MemorySegmentSource {
        MemorySegmentSource(segments)
    }
}
