/// A random source that always returns the middle, so that pauses have no jitter.
struct MidpointRandomSource: RandomSource { func next() -> UInt64 { 1 << 63 } }

/// Feeds steps to a journal's state, and describes its actions as text. Events are numbered by their timestamps.
struct JournalTable {
    enum Step {
        case append(ClosedRange<Int>, bytes: Int = 100)
        case task(ClosedRange<Int>)
        case save(String)
        case forget(String)
        case commit, commitAnyway
        case take, takeRemovals
        case succeeded(dropped: Int = 0)
        case failed
        case passBegan, passEnded, startFailed
        case counted(Int)
        /// Reads the waiting events, as a delivery does.
        case read
        /// Removes events that were read.
        case remove([Int])
        /// Removes ids in the file.
        case removeStored([Int64])
        /// Describes the state.
        case state
    }

    var state: JournalState
    var now = ContinuousClock.now
    /// The number of events in the file.
    private var stored = 0
    private var batch: CommitBatch?
    /// The ids of events that were read from memory, by number.
    private var ids: [Int: Int64] = [:]
    /// The groups in the order in which they appeared.
    private var groups: [CommitGroup] = []
    private static let error = SQLiteError(code: 13, message: "database or disk is full", file: "")

    init(_ options: SQLiteOptions = SQLiteOptions(), _ change: (inout SQLiteOptions) -> Void = { _ in }) {
        var options = options
        change(&options)
        state = JournalState(options: options, random: MidpointRandomSource())
        _ = state.queue("events")
    }

    /// Expects a result of a step.
    mutating func expect(_ next: Step, _ expected: String, location: SourceLocation = #_sourceLocation) {
        #expect(step(next) == expected, sourceLocation: location)
    }

    /// Performs a step, and describes the result.
    @discardableResult mutating func step(_ step: Step) -> String {
        switch step {
        case .append(let numbers, let bytes):
            let events = Self.events(numbers, bytes: bytes)
            return words(state.append(events, from: 0, to: 0), of: events.count)
        case .task(let numbers):
            let events = Self.events(numbers)
            return words(state.append(events, from: 0, to: 0, isTask: true), of: events.count)
        case .save(let user):
            let added = state.save(ProfileChange(userID: user, assignments: ["1": "2"]))
            return added.map { words($0.work) + words($0.group) } ?? "no room"
        case .passBegan: return "look at \(state.passBegan().outdatedQueues)"
        case .passEnded:
            return state.passEnded(at: now).map { "again after \(Int($0 / .milliseconds(1))) ms" } ?? "idle"
        case .startFailed: return state.startFailed() ? "commit" : "idle"
        default: return commit(step)
        }
    }

    private mutating func commit(_ step: Step) -> String {
        switch step {
        case .commit, .commitAnyway:
            var isAnyway = false
            if case .commitAnyway = step { isAnyway = true }
            guard let (error, group) = state.commitBegan(evenIfPausing: isAnyway, at: now) else { return "write" }
            return (error == nil ? "nothing" : "not now") + words(group)
        case .take, .takeRemovals:
            var isRemoving = false
            if case .takeRemovals = step { isRemoving = true }
            let taken = state.take(onlyRemovals: isRemoving)
            batch = taken
            let removals = taken.queues.first?.removals.sorted() ?? []
            return Self.list(taken.queues.flatMap { $0.additions.map(\.event) }) + words(taken.group)
                + (removals.isEmpty ? "" : ", removals \(removals)")
        case .succeeded(let dropped):
            guard let taken = batch else { return "no batch" }
            batch = nil
            return state.commitSucceeded(taken, result(of: taken, dropped)) ? "news" : ""
        case .failed:
            defer { batch = nil }
            let failure = state.commitFailed(batch, Self.error, at: now)
            return words(failure.work) + words(failure.group) + (failure.isNews ? ", news" : "")
        default: return change(step)
        }
    }

    private mutating func result(of batch: CommitBatch, _ dropped: Int) -> CommitResult {
        var result = CommitResult()
        for queue in batch.queues {
            let ids = queue.additions.enumerated().map { Int64(100 + $0.offset) }
            stored += ids.count - dropped
            result.queues.append(.init(stored: .init(count: stored), ids: ids, dropped: dropped))
        }
        return result
    }

    private mutating func change(_ step: Step) -> String {
        switch step {
        case .forget(let user): state.profiles.drop(user)
        case .counted(let count):
            stored = count
            state.queues[0].stored = .init(count: count, bytes: 100 * count)
        case .remove(let numbers):
            return state.queues[0].remove(numbers.compactMap { ids[$0] }) ? "from the file, too" : ""
        case .removeStored(let ids): return state.queues[0].remove(ids) ? "from the file, too" : ""
        case .read:
            let events = state.queues[0].oldest(.max)
            for entry in events { ids[Int(entry.event.timestamp ?? 0)] = entry.id }
            return Self.list(events.map(\.event))
        case .state:
            // Reading from a copy: reading exposes ids.
            var queue = state.queues[0]
            let waiting = Self.list(queue.oldest(.max).map(\.event))
            return "\(queue.count) events, waiting: \(waiting), lost: \(queue.losses)"
        default: break
        }
        return ""
    }

    private static func events(_ numbers: ClosedRange<Int>, bytes: Int = 100) -> [OutgoingEvent] {
        numbers.map { number in
            let visitor = [UInt8](repeating: 0x20, count: bytes)
            return OutgoingEvent(group: .init(region: .us, envelope: "["), visitor: visitor, timestamp: Int64(number))
        }
    }

    // MARK: Words

    private static func list(_ events: [OutgoingEvent]) -> String {
        events.isEmpty ? "none" : events.map { "\($0.timestamp ?? 0)" }.joined(separator: " ")
    }

    private mutating func words(_ added: JournalState.Addition, of count: Int) -> String {
        words(added.work) + words(added.group) + (added.limit.map { ", \(added.end) of \(count): \($0)" } ?? "")
    }

    private func words(_ work: JournalState.Work) -> String {
        if case .start(let delay) = work { return "start after \(Int(delay / .milliseconds(1))) ms" }
        return "\(work)"
    }

    private mutating func words(_ group: CommitGroup?) -> String {
        guard let group else { return "" }
        if !groups.contains(where: { $0 === group }) { groups.append(group) }
        return " #\(groups.firstIndex { $0 === group } ?? 0)"
    }
}
