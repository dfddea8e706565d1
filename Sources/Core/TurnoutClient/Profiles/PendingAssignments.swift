/// Assignments that wait to be written, one writer at a time, and those who wait for that.
struct PendingAssignments {
    /// How often writing fails in a row before those who wait for its end are let go.
    private static let patience = 3

    private var assignments: [ExactText: [String: String]] = [:]
    /// The users, in the order in which they are written; read from the end of `batch`, refilled from `arrived`.
    private var batch: [ExactText] = []
    private var arrived: [ExactText] = []
    private var isWriting = false
    private var failureCount = 0
    private var backoff: Backoff
    /// The end of the writer's pause is a task's; somebody who cannot wait for it cancels that.
    private var pause: Task<Void, Never>?
    private var isHurried = false
    private var flushes = FlushList<ExactText>()

    /// How many assignments wait.
    private(set) var count = 0

    init(backoff: Backoff) { self.backoff = backoff }

    /// What waits for a user, or nil: nothing.
    subscript(userID: String) -> [String: String]? {
        assignments.isEmpty ? nil : assignments[ExactText(userID)]
    }

    /// Adds assignments. Whether there was room.
    mutating func add(_ new: [String: String], for userID: String, limit: Int) -> Bool {
        let user = ExactText(userID)
        let known = assignments[user]
        let growth = new.keys.count { known?[$0] == nil }
        guard count + growth <= limit else { return false }
        assignments[user, default: [:]].merge(new) { $1 }
        count += growth
        if known == nil { arrived.append(user) }
        return true
    }

    // MARK: Writing

    /// Whether the caller has to start the writer.
    mutating func beginWriting() -> Bool {
        defer { isWriting = true }
        return !isWriting
    }

    /// What is to be written next. Nil: nothing is, and the writer ends.
    mutating func next() -> (user: ExactText, assignments: [String: String])? {
        pause = nil
        if batch.isEmpty {
            batch = arrived.reversed()
            arrived = []
        }
        guard let user = batch.popLast() else {
            isWriting = false
            return nil
        }
        return (user, assignments[user] ?? [:])
    }

    /// Removes what was written, unless it changed meanwhile. Returns how to tell those who waited for it.
    mutating func written(_ stored: [String: String], for user: ExactText) -> [FlushList.End] {
        failureCount = 0
        backoff.reset()
        let rest = (assignments[user] ?? [:]).filter { stored[$0.key] != $0.value }
        count -= (assignments[user]?.count ?? 0) - rest.count
        assignments[user] = rest.isEmpty ? nil : rest
        // What came meanwhile may have come before the flush; so those who wait for this user wait for that, too.
        guard rest.isEmpty else {
            arrived.append(user)
            return []
        }
        return flushes.arrived(user)
    }

    /// Puts a user back, behind the others. Returns how long to pause, and how to tell those who waited too long.
    mutating func failed(for user: ExactText) -> (pause: Duration, ends: [FlushList.End]) {
        arrived.append(user)
        isHurried = false
        failureCount += 1
        return (backoff.delay(), failureCount >= Self.patience ? flushes.removeAll() : [])
    }

    /// Keeps the task whose end is that of the writer's pause.
    mutating func pause(_ task: Task<Void, Never>) {
        pause = task
        if isHurried { task.cancel() }
    }

    // MARK: Flushing

    /// How many wait for a flush.
    var flushCount: Int { flushes.count }

    /// Has `end` called when everything that waits now is written, or writing has failed too often; a pause ends.
    /// Returns a number to leave with, or nil: nothing waits.
    mutating func flush(_ end: @escaping FlushList.End) -> Int? {
        guard count > 0 else { return nil }
        failureCount = 0
        backoff.reset()
        isHurried = true
        pause?.cancel()
        return flushes.add(assignments.keys, end)
    }

    /// Ends the wait of somebody whose time is up. Returns how to tell them, unless that has been done.
    mutating func leaveFlush(_ number: Int) -> FlushList.End? { flushes.remove(number) }
}
