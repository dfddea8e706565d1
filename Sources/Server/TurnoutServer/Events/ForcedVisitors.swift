import TurnoutClient

/// The visitors whose variation was forced at this server: results leave them out.
final class ForcedVisitors: Sendable {
    private struct State {
        /// Those that are in the store, or will be. Bounded: a full set is emptied.
        var known: Set<Int64> = []
        var waiting: [Int64] = []
        /// The last ones of earlier runs of the server.
        var earlier: Set<Int64> = []
    }

    private static let maximumCount = 10_000
    private let wallClock: any WallClock
    private let state = Locked(State())

    init(_ wallClock: any WallClock) { self.wallClock = wallClock }

    /// Notes a visitor.
    ///
    /// - Returns: Whether there is something to write.
    func add(_ userID: String, of projectID: String) -> Bool {
        let visitor = EventHash.visitor(userID, of: projectID)
        return state.withLock { state in
            if state.known.count >= Self.maximumCount { state.known.removeAll(keepingCapacity: true) }
            // If the disk fails for long, further visitors are noted when they are forced again.
            guard state.waiting.count < Self.maximumCount, state.known.insert(visitor).inserted else { return false }
            state.waiting.append(visitor)
            return true
        }
    }

    /// Whether a visitor was noted lately.
    func contains(_ visitor: Int64) -> Bool {
        state.withLock { $0.known.contains(visitor) || $0.earlier.contains(visitor) }
    }

    /// Reads those that were noted before the server started. Blocks.
    func load(from store: EventDatabase) throws {
        let earlier = try store.forcedVisitors(limit: Int64(Self.maximumCount))
        state.withLock { $0.earlier = earlier }
    }

    /// Writes the visitors that were noted since the last call. Blocks. After an error, the next call writes them.
    func write(to store: EventDatabase) throws {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        do { try store.force(waiting, at: wallClock.millisecondsSince1970()) } catch {
            state.withLock { $0.waiting += waiting }
            throw error
        }
    }

    /// Writes the visitors, and forgets that they are known: the store is about to delete some.
    func forgetKnown(writingTo store: EventDatabase) throws {
        try write(to: store)
        state.withLock { ($0.known, $0.earlier) = ([], []) }
    }
}
