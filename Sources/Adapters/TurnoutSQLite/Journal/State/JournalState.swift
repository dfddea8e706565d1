package import TurnoutClient

/// The additions that are not in the file yet, and the decision which thread writes them, and when. A value without
/// a clock, a thread or a file: each step reports an event, and returns what its caller has to do once the lock is
/// released. The exception is ``CommitGroup``, an object with a lock on which callers wait: the state only creates
/// it and hands it out, and never waits or wakes.
///
/// ```text
/// append, save ──► waiting ────take────► in flight ──commitSucceeded──► in the file
///                       │   ▲                    │
///  dropped to make room ┘   └────commitFailed────┘
/// ```
///
/// One thread writes while there is work, in passes: a pass commits what waits, reads the totals of outdated
/// queues, and repairs a file in which a user could not be read. With `soon`, callers return at once, and the
/// writing thread lets additions collect before each pass. With `beforeReturning`, all callers whose additions one
/// transaction writes wait for it in a ``CommitGroup``. A caller that finds no writing thread writes itself, which
/// saves waking another one, and leaves what was added meanwhile to a writing thread.
///
/// | Step | Situation | Result |
/// | --- | --- | --- |
/// | `append`, `save` | no thread writes | `soon`, and tasks: start the writing thread; otherwise: write |
/// | | a thread writes | nothing; end its pause if much waits, or callers wait while the file fails |
/// | | no room, `dropOldest` | drop the queue's oldest waiting event; then as above |
/// | | no room otherwise | the limit; an outdated queue starts the writing thread with `soon` |
/// | `commitBegan` | nothing to write, no waiting caller | nothing |
/// | | the file failed, the pause is not over | nothing; the group learns the failure |
/// | | otherwise | write |
/// | `take` | the transaction holds the file's lock | everything is in flight; the next group collects |
/// | `commitSucceeded` | | everything in flight is in the file |
/// | `commitFailed` | | everything in flight waits again; starts the writing thread |
/// | `passEnded` | something is left to write | the next pass follows, at once if callers wait |
/// | | otherwise | no thread writes |
/// | `forked` | | the child starts empty: its parent writes |
package struct JournalState: Sendable {
    /// What a caller has to do.
    package enum Work: Sendable, Equatable {
        case nothing
        /// Begin the writing thread's first pass after a time.
        case start(after: Duration)
        /// End the pause of the writing thread.
        case hasten
        /// Make a pass itself.
        case write
    }

    /// Why an event cannot be added.
    package enum Limit: Sendable {
        /// It alone exceeds a limit.
        case size
        case queue
        /// The memory for events is full.
        case memory
    }

    /// The result of adding events.
    package struct Addition: Sendable {
        /// The index of the first event that was not added.
        package let end: Int
        /// Why it was not; nil if all were added.
        package let limit: Limit?
        package let work: Work
        /// The transaction to wait for, if any.
        package let group: CommitGroup?
        /// The temporary id of the first event.
        let firstID: Int64
    }

    /// Above this size the writing thread writes at once.
    private static let urgentBytes = 8_000_000
    /// From this number of events on, the cost of the transaction itself is negligible.
    private static let fullGroup = 256

    private let options: SQLiteOptions
    private let random: any RandomSource
    /// Whether callers wait until their additions are in the file.
    private let waits: Bool
    /// How long the writing thread lets additions collect. Zero if callers wait: during one commit they collect for
    /// the next.
    private let interval: Duration

    package var queues: [JournalQueue] = []
    package var profiles: PendingProfiles
    package private(set) var backoff: WriteBackoff
    private var nextID = EventIDs.inMemory
    /// The group of the next transaction, its first event, and whether a caller waits for it.
    private var group = CommitGroup()
    private var firstID = EventIDs.inMemory
    private var hasCallers = false
    /// Whether a thread writes, or is about to.
    private var isWriting = false
    /// The number of events in the last transaction, and about how many the callers that wait add at a time.
    private var lastCount = 0
    private var expectedCount = 0

    package init(options: SQLiteOptions, random: any RandomSource = .system) {
        self.options = options
        self.random = random
        waits = options.durability == .beforeReturning
        if case .soon(let interval) = options.durability {
            self.interval = max(interval, .milliseconds(1))
        } else {
            interval = .zero
        }
        backoff = WriteBackoff(random: random)
        profiles = PendingProfiles(options: options)
    }

    /// The process was forked, and this is the child.
    package mutating func forked() {
        let known = queues
        self = JournalState(options: options, random: random)
        queues = known.map { JournalQueue(name: $0.name, limit: $0.limit) }
    }

    /// The number of a queue, and whether this call added it.
    package mutating func queue(_ name: String) -> (number: Int, isNew: Bool) {
        if let number = queues.firstIndex(where: { $0.name == name }) { return (number, false) }
        queues.append(JournalQueue(name: name, limit: options.maximumEvents))
        return (queues.count - 1, true)
    }

    // MARK: Adding

    /// Adds events as long as there is room. `isTask`: the caller cannot write.
    package mutating func append<Events: RandomAccessCollection>(
        _ events: Events, from start: Int, to queue: Int, isTask: Bool = false
    ) -> Addition where Events.Element == OutgoingEvent, Events.Index == Int {
        let (first, wasUrgent) = (nextID, isUrgent)
        for index in start..<events.endIndex {
            let event = events[index]
            if let limit = makeRoom(for: event, in: queue) {
                return addition(from: first, start..<index, limit, in: queue, isTask, wasUrgent)
            }
            queues[queue].add(event, id: nextID)
            nextID += 1
        }
        return addition(from: first, start..<events.endIndex, nil, in: queue, isTask, wasUrgent)
    }

    private mutating func addition(
        from firstID: Int64, _ added: Range<Int>, _ limit: Limit?, in queue: Int, _ isTask: Bool,
        _ wasUrgent: Bool
    ) -> Addition {
        // A caller that waits looks itself.
        if case .queue? = limit, !waits { queues[queue].isOutdated = true }
        let (work, group) =
            added.isEmpty && !queues[queue].isOutdated
            ? (.nothing, nil) : join(isTask: isTask, isUrgent: !wasUrgent && isUrgent)
        return Addition(
            end: added.upperBound, limit: limit, work: work, group: added.isEmpty ? nil : group, firstID: firstID)
    }

    /// Makes room for an event, for which older events may be dropped. Returns the limit if there is none.
    private mutating func makeRoom(for event: OutgoingEvent, in queue: Int) -> Limit? {
        let (bytes, size) = (event.visitor.count, JournalQueue.memory(ofBytes: event.visitor.count))
        guard bytes <= options.maximumBytes, size <= options.maximumBufferedBytes else { return .size }
        let drops = options.overflow == .dropOldest
        if !drops, queues[queue].isFull(besides: bytes, options) { return .queue }
        // Events in the file make room when this one is written.
        while memory + size > options.maximumBufferedBytes
            || (drops && queues[queue].isOverfull(with: .init(count: 1, bytes: bytes), options))
        {
            guard drops, queues[queue].dropOldest() else { return .memory }
        }
        return nil
    }

    private var isUrgent: Bool { memory > Self.urgentBytes }
    private var memory: Int { queues.reduce(0) { $0 + $1.memory } }

    /// Adds a change of assignments. Returns the work and the transaction to wait for; nil if there is no room.
    package mutating func save(_ change: ProfileChange) -> (work: Work, group: CommitGroup?)? {
        profiles.add(change) ? join() : nil
    }

    /// Something was added.
    private mutating func join(isTask: Bool = false, isUrgent: Bool = false) -> (Work, CommitGroup?) {
        guard waits else { return (schedule(isUrgent: isUrgent), nil) }
        hasCallers = true
        let isIdle = !isWriting
        let work = schedule(isUrgent: backoff.error != nil)
        return (isIdle && !isTask ? .write : work, group)
    }

    /// Something has to be done by the writing thread.
    private mutating func schedule(isUrgent: Bool = false) -> Work {
        guard !isWriting else { return isUrgent ? .hasten : .nothing }
        isWriting = true
        return .start(after: interval)
    }

    // MARK: Committing

    /// Whether there is anything to write, or a caller that waits for a commit.
    private var needsCommit: Bool {
        hasCallers || profiles.needsCommit || queues.contains { $0.needsCommit }
    }

    /// What is not in the file yet.
    package var unwrittenCount: (events: Int, assignments: Int) {
        (queues.reduce(0) { $0 + $1.unwrittenCount }, profiles.unwrittenCount)
    }

    /// A thread holds the writer's lock. Returns nil if it has to write; otherwise the last failure, and the
    /// callers to tell.
    package mutating func commitBegan(
        evenIfPausing: Bool, at now: ContinuousClock.Instant
    ) -> (error: SQLiteError?, group: CommitGroup?)? {
        guard needsCommit else { return (backoff.error, nil) }
        guard !evenIfPausing, let error = backoff.errorDuringPause(at: now) else { return nil }
        return (error, closeGroup())
    }

    /// Closes the group, if callers wait for it. The next one collects.
    private mutating func closeGroup() -> CommitGroup? {
        guard hasCallers else { return nil }
        defer { (group, firstID, hasCallers) = (CommitGroup(), nextID, false) }
        return group
    }

    /// The transaction holds the file's lock: until then, events can be read or dropped.
    package mutating func take(onlyRemovals: Bool = false) -> CommitBatch {
        let taken = queues.indices.compactMap { queues[$0].take($0, onlyRemovals: onlyRemovals) }
        guard !onlyRemovals else { return CommitBatch(queues: taken, onlyRemovals: true, firstRefusable: .max) }
        lastCount = taken.reduce(0) { $0 + $1.additions.count }
        let firstRefusable = waits && options.overflow == .refuseNewest ? firstID : .max
        let (changes, used) = profiles.take()
        return CommitBatch(
            queues: taken, onlyRemovals: false, firstRefusable: firstRefusable, changes: changes, used: used,
            group: closeGroup())
    }

    /// A batch is in the file. Returns whether this ends a series of failures.
    package mutating func commitSucceeded(_ batch: CommitBatch, _ result: CommitResult) -> Bool {
        for (taken, result) in zip(batch.queues, result.queues) { queues[taken.number].committed(taken, result) }
        profiles.committed(batch.used, latestUse: result.latestUse)
        return batch.onlyRemovals ? false : backoff.succeeded()
    }

    /// A transaction failed; without a batch if it never held the file's lock. Returns the callers to tell.
    package mutating func commitFailed(
        _ batch: CommitBatch?, _ error: SQLiteError, at now: ContinuousClock.Instant
    ) -> (group: CommitGroup?, work: Work, isNews: Bool) {
        for index in queues.indices { queues[index].restore(options) }
        profiles.restore()
        let isNews = fileFailed(error, at: now)
        return (batch == nil ? closeGroup() : batch?.group, schedule(), isNews)
    }

    /// The file could not be read or written. Returns whether this is the first failure in a row.
    package mutating func fileFailed(_ error: SQLiteError, at now: ContinuousClock.Instant) -> Bool {
        backoff.failed(error, at: now)
    }

    // MARK: Passes

    /// How many events a pass still expects from the callers of the previous one: a transaction costs as much as
    /// many events.
    package var missingCount: Int { max(0, min(expectedCount, Self.fullGroup) - unwrittenCount.events) }

    /// The writing thread begins a pass. Returns what it has to do besides a commit: look at queues, and read a
    /// user again on the writing connection, which repairs a damaged file.
    package mutating func passBegan() -> (outdatedQueues: [Int], unreadableUser: String?) {
        defer { for index in queues.indices { queues[index].isOutdated = false } }
        return (queues.indices.filter { queues[$0].isOutdated }, profiles.unreadableUser.take())
    }

    /// A pass ended. Returns when the next one follows; nil if nothing is left to do.
    package mutating func passEnded(at now: ContinuousClock.Instant) -> Duration? {
        expectedCount = waits ? lastCount + unwrittenCount.events : 0
        isWriting = needsCommit || profiles.unreadableUser != nil || queues.contains { $0.isOutdated }
        guard isWriting else { return nil }
        return hasCallers ? .zero : max(interval, backoff.remainder(at: now))
    }

    /// No writing thread could be started. Returns whether the caller has to make a pass itself: with `soon` it may
    /// be a decision, which must not, and the next addition tries again.
    package mutating func startFailed() -> Bool {
        if !hasCallers { isWriting = false }
        return hasCallers
    }

    /// A user's assignments could not be read.
    package mutating func readFailed(_ userID: String) -> Work {
        profiles.unreadableUser = userID
        return schedule()
    }

    /// Counts events that were lost with a damaged file, by the names of their queues. Leaves unknown queues.
    mutating func lost(_ counts: inout [String: Int]) {
        for index in queues.indices {
            if let count = counts.removeValue(forKey: queues[index].name) {
                queues[index].losses.add(count, .damaged)
            }
        }
    }
}
