/// Writes to a store for callers with a deadline. Writes for the same user are serialized, so that a late one never
/// replaces a later one.
///
/// Assignments added for a user during a write are merged into the next one. At most one call is made for a user at a
/// time, so an unresponsive store blocks at most one call per user.
package final class OrderedWrites: Sendable {
    private typealias Caller = OneShot<Result<Void, any Error>>

    /// The assignments for one call of the store.
    private struct Batch {
        var assignments: [String: String] = [:]
        var callers: [Caller] = []
        /// The number of callers that returned immediately, because an earlier write was late.
        var lateCount = 0
    }

    /// The writes in progress for one user.
    private struct Lane {
        let number: Int
        /// The number of the call that performs them; nil if it is about to start.
        var call: Int?
        /// Whether a caller timed out during the present call of the store.
        var isLate = false
        var next: Batch?

        /// Adds to the next batch. Without a caller, no one is notified of the result.
        mutating func add(_ assignments: [String: String], _ caller: Caller?) {
            var batch = next.take() ?? Batch()
            batch.assignments.merge(assignments) { $1 }
            if let caller { batch.callers.append(caller) } else { batch.lateCount += 1 }
            next = batch
        }
    }

    private struct State {
        var lanes: [ByteKey: Lane] = [:]
        var laneCount = 0
        /// The number of queued assignments.
        var waitingCount = 0
        var flushes = FlushList<ByteKey>()

        /// Queues assignments behind the writes in progress for a user.
        mutating func join(_ assignments: [String: String], of user: ByteKey, _ caller: Caller) -> Step {
            let isNew = lanes[user] == nil
            let known = lanes[user]?.next?.assignments
            let growth = assignments.keys.count { known?[$0] == nil }
            guard isNew || waitingCount + growth <= OrderedWrites.waitingLimit else { return .full }
            waitingCount += growth
            if isNew { laneCount += 1 }
            var lane = lanes.removeValue(forKey: user) ?? Lane(number: laneCount)
            let isLate = lane.isLate
            lane.add(assignments, isLate ? nil : caller)
            lanes[user] = lane
            return isNew ? .begin(lane: lane.number) : isLate ? .timedOut : .wait(lane: lane.number)
        }

        /// Records the number of the call for a lane. Returns whether a caller has already timed out.
        mutating func begun(_ call: Int, _ lane: Int, of user: ByteKey) -> Bool {
            guard lanes[user]?.number == lane else { return false }
            lanes[user]?.call = call
            return lanes[user]?.isLate == true
        }

        /// Records that a caller timed out. Returns the number of the late call, if any.
        mutating func markLate(_ lane: Int, of user: ByteKey) -> Int? {
            guard lanes[user]?.number == lane else { return nil }
            lanes[user]?.isLate = true
            return lanes[user]?.call
        }

        /// The store has responded, so new callers may wait again. Returns the number of the user's call.
        mutating func responded(_ user: ByteKey) -> Int? {
            lanes[user]?.isLate = false
            return lanes[user]?.call
        }

        /// The next batch for a user; nil closes the lane. Also returns the flush handlers to call.
        mutating func next(of user: ByteKey) -> (Batch?, [FlushList.End]) {
            guard let batch = lanes[user]?.next else {
                lanes[user] = nil
                return (nil, flushes.arrived(user))
            }
            waitingCount -= batch.assignments.count
            lanes[user]?.next = nil
            return (batch, [])
        }
    }

    /// The next step of a caller.
    private enum Step { case begin(lane: Int), wait(lane: Int), timedOut, full }

    /// The maximum number of assignments queued behind calls of the store, about 3 MB.
    fileprivate static let waitingLimit = 10_000

    private let store: any ProfileStore
    private let calls: BoundedCalls
    private let onLoss: @Sendable (_ count: Int, any Error) -> Void
    private let state = Locked(State())

    /// Creates a queue of writes to a store.
    ///
    /// - Parameters:
    ///   - store: Receives the assignments.
    ///   - calls: Performs the calls.
    ///   - onLoss: Called with the number of additions that failed after their callers stopped waiting.
    package init(
        _ store: any ProfileStore, calls: BoundedCalls, onLoss: @escaping @Sendable (_ count: Int, any Error) -> Void
    ) {
        self.store = store
        self.calls = calls
        self.onLoss = onLoss
    }

    /// Adds assignments of a user after any writes in progress for the user, and waits for the store's response.
    ///
    /// - Throws: ``ProfileStoreError/timedOut`` if the response or an earlier write is late; the write then continues
    ///   in the background. ``ProfileStoreError/unresponsive`` or ``ProfileStoreError/full`` if nothing was done; or
    ///   errors from the store.
    package func add(_ assignments: [String: String], for userID: String, within limit: Duration) throws {
        let (user, caller) = (ByteKey(userID), Caller())
        let lane: Int
        switch state.withLock({ $0.join(assignments, of: user, caller) }) {
        case .timedOut: throw ProfileStoreError.timedOut
        case .full: throw ProfileStoreError.full
        case .wait(let number): lane = number
        case .begin(let number):
            lane = number
            begin(lane, of: user)
        }
        if let result = caller.value(within: limit) { return try result.get() }
        let call = state.withLock { $0.markLate(lane, of: user) }
        if let call { calls.giveUp(call, runsAnyway: true) }
        throw ProfileStoreError.timedOut
    }

    /// Waits until the present writes have succeeded or failed, but not longer than a limit.
    package func flush(within limit: Duration) async {
        await waitForFlush(within: limit, on: .continuous) { end in
            state.withLock { $0.lanes.isEmpty ? nil : $0.flushes.add($0.lanes.keys, end) }
        } leave: { number in
            state.withLock { $0.flushes.remove(number) }
        }
    }

    /// Waits until the present writes for a user have succeeded or failed. Returns false if a limit is reached before.
    package func waitForWrites(of userID: String, within limit: Duration) -> Bool {
        let (user, done) = (ByteKey(userID), OneShot<Void>())
        let number = state.withLock { state in
            state.lanes[user] == nil ? nil : state.flushes.add([user]) { done.end(()) }
        }
        guard let number, done.value(within: limit) == nil else { return true }
        return state.withLock { $0.flushes.remove(number) } == nil
    }

    // MARK: The call

    private func begin(_ lane: Int, of user: ByteKey) {
        do {
            let call = try calls.begin { self.write(of: user) }
            let isLate = state.withLock { $0.begun(call, lane, of: user) }
            if isLate { calls.giveUp(call, runsAnyway: true) }
        } catch {
            while let batch = next(of: user) { tell(batch, .failure(ProfileStoreError.unresponsive)) }
        }
    }

    /// Writes a user's batches until there are no more.
    private func write(of user: ByteKey) {
        while let batch = next(of: user) {
            tell(batch, Result { try store.save(batch.assignments, for: user.text) })
            if let call = state.withLock({ $0.responded(user) }) { calls.responded(call) }
        }
    }

    /// The next batch for a user; nil if the lane is closed.
    private func next(of user: ByteKey) -> Batch? {
        let (batch, ends) = state.withLock { $0.next(of: user) }
        for end in ends { end() }
        return batch
    }

    private func tell(_ batch: Batch, _ result: Result<Void, any Error>) {
        let goneCount = batch.callers.count { !$0.end(result) } + batch.lateCount
        if case .failure(let error) = result, goneCount > 0 { onLoss(goneCount, error) }
    }
}
