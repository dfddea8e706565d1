/// Assignments queued for a single writer, and the flushes that wait for them.
package struct PendingAssignments {
    /// The number of consecutive failed writes after which waiting flushes are ended.
    private static let failureLimit = 3

    private let generation = Fork.generation
    private var assignments: [ByteKey: [String: String]] = [:]
    /// The users in writing order, without those whose assignments are being written.
    private var users = FIFO<ByteKey>()
    private var isWriting = false
    /// The users whose assignments are being written, and the handlers to call at the end of the write.
    private var current: [ByteKey: [FlushList.End]] = [:]
    private var failureCount = 0
    private var backoff: Backoff
    /// Sleeps during the writer's pause; a flush cancels it.
    private var pause: Task<Void, Never>?
    private var isHurried = false
    private var flushes = FlushList<ByteKey>()

    /// The number of queued assignments.
    package private(set) var count = 0

    /// Creates an empty buffer. `backoff` determines the pauses after failures.
    package init(backoff: Backoff) { self.backoff = backoff }

    /// The queued assignments of a user, or nil.
    package subscript(userID: String) -> [String: String]? {
        assignments.isEmpty ? nil : assignments[ByteKey(userID)]
    }

    /// Adds assignments. Returns whether there was room.
    package mutating func add(_ new: [String: String], for userID: String, limit: Int) -> Bool {
        discardAfterFork()
        let user = ByteKey(userID)
        let known = assignments[user]
        let growth = new.keys.count { known?[$0] == nil }
        guard count + growth <= limit else { return false }
        assignments[user, default: [:]].merge(new) { $1 }
        count += growth
        if known == nil, current[user] == nil { users.append(user) }
        return true
    }

    /// Empties the buffer after a fork: the parent writes these assignments, and the child has no writer.
    private mutating func discardAfterFork() {
        if generation != Fork.generation { self = PendingAssignments(backoff: backoff) }
    }

    // MARK: Writing

    /// Returns whether the caller has to start the writer.
    package mutating func beginWriting() -> Bool {
        defer { isWriting = true }
        return !isWriting
    }

    /// Records that there is no writer.
    package mutating func endWriting() { isWriting = false }

    /// The next assignments to write, of at most `count` users; none ends the writer.
    package mutating func next(_ count: Int) -> [(user: ByteKey, assignments: [String: String])] {
        pause = nil
        var batch: [(user: ByteKey, assignments: [String: String])] = []
        while batch.count < count, let user = users.popFirst() {
            current[user] = []
            batch.append((user, assignments[user] ?? [:]))
        }
        if batch.isEmpty { isWriting = false }
        return batch
    }

    /// Lets the caller write a user's queued assignments, and report that to ``written(_:for:)``. If they are being
    /// written already, returns nil, and `end` is called at the end of that write.
    package mutating func claim(_ user: ByteKey, end: @escaping FlushList.End) -> [String: String]? {
        discardAfterFork()
        guard current[user] == nil else {
            current[user]?.append(end)
            return nil
        }
        current[user] = []
        _ = users.remove { $0 == user }
        return assignments[user] ?? [:]
    }

    /// Removes written assignments, unless they changed meanwhile. Returns the flush handlers to call.
    package mutating func written(_ stored: [String: String], for user: ByteKey) -> [FlushList.End] {
        if !stored.isEmpty {
            failureCount = 0
            backoff.reset()
        }
        let rest = (assignments[user] ?? [:]).filter { stored[$0.key] != $0.value }
        count -= (assignments[user]?.count ?? 0) - rest.count
        assignments[user] = rest.isEmpty ? nil : rest
        // Assignments added meanwhile may precede the flush, so flushes that wait for this user wait for them too.
        guard rest.isEmpty else {
            users.append(user)
            return current.removeValue(forKey: user) ?? []
        }
        return (current.removeValue(forKey: user) ?? []) + flushes.arrived(user)
    }

    /// Requeues users behind the others. Returns the length of the pause, and the flush handlers to call.
    package mutating func failed(for failed: [ByteKey]) -> (pause: Duration, ends: [FlushList.End]) {
        var ends: [FlushList.End] = []
        for user in failed {
            // They may have been removed during the write.
            if assignments[user] != nil { users.append(user) }
            ends += current.removeValue(forKey: user) ?? []
        }
        isHurried = false
        failureCount += 1
        return (backoff.delay(), ends + (failureCount >= Self.failureLimit ? flushes.removeAll() : []))
    }

    /// Removes the assignments of a user that cannot be written. Returns their number, and the flush handlers to call.
    package mutating func giveUp(_ user: ByteKey) -> (lost: Int, ends: [FlushList.End]) {
        let lost = assignments.removeValue(forKey: user)?.count ?? 0
        count -= lost
        return (lost, (current.removeValue(forKey: user) ?? []) + flushes.arrived(user))
    }

    /// Removes the queued assignments of a user. If they are being written, `end` is called when that write ends.
    /// Returns the flush handlers to call, and whether `end` will be called.
    package mutating func remove(
        _ userID: String, end: @escaping FlushList.End
    ) -> (ends: [FlushList.End], isWriting: Bool) {
        discardAfterFork()
        let user = ByteKey(userID)
        count -= assignments.removeValue(forKey: user)?.count ?? 0
        _ = users.remove { $0 == user }
        let isWriting = current[user] != nil
        if isWriting { current[user]?.append(end) }
        return (flushes.arrived(user), isWriting)
    }

    /// Stores the task that represents the writer's pause.
    package mutating func pause(_ task: Task<Void, Never>) {
        pause = task
        if isHurried { task.cancel() }
    }

    // MARK: Flushing

    /// The number of waiting flushes.
    package var flushCount: Int { flushes.count }

    /// Calls `end` once all queued assignments are written, or writing has failed too often; ends a pause. Returns a
    /// number for ``leaveFlush(_:)``, or nil if nothing is queued.
    package mutating func flush(_ end: @escaping FlushList.End) -> Int? {
        guard count > 0 else { return nil }
        failureCount = 0
        backoff.reset()
        isHurried = true
        pause?.cancel()
        return flushes.add(assignments.keys, end)
    }

    /// Removes a flush that gave up. Returns its handler, unless that has been called.
    package mutating func leaveFlush(_ number: Int) -> FlushList.End? { flushes.remove(number) }
}
