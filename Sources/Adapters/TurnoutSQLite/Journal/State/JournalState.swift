#if SQLite
    package import TurnoutClient

    /// The additions that are not in the file yet, and the decision which caller writes them, and when. A value without
    /// a clock, a thread or a file: each step reports an event, and returns what its caller has to do once the lock is
    /// released. The exception is ``CommitGroup``, an object with a lock on which callers wait: the state only creates
    /// it and hands it out, and never waits or wakes.
    ///
    /// Its parts are values with steps of their own: ``PendingEvents``, ``PendingProfiles``, ``CommitLeadership`` and
    /// ``WriteBackoff``. Steps that concern one part are methods of that part.
    ///
    /// ```text
    /// append, save ──► waiting ────take────► in flight ──commitSucceeded──► in the file
    ///                       │   ▲                    │
    ///  dropped to make room ┘   └────commitFailed────┘
    /// ```
    ///
    /// A *flush* is a pass of the background thread: it commits what waits, reads the totals of outdated queues, and
    /// repairs a file in which a user could not be read. With `soon`, callers return at once, and a flush commits. With
    /// `beforeReturning`, the callers whose additions one transaction writes form a commit group: one of them leads the
    /// commit, the others wait. Meanwhile the next group collects, and its first caller becomes the next leader.
    ///
    /// The steps that move data or wake a thread:
    ///
    /// | Step | Situation | Result |
    /// | --- | --- | --- |
    /// | `append`, `save` | `soon` | accepted; wakes the background thread unless a flush is scheduled |
    /// | | `beforeReturning`, no thread leads | lead the commit |
    /// | | …, another thread leads | wait in the group; the first one as its next leader |
    /// | | no room, `dropOldest` | drop the queue's oldest waiting event; then as above |
    /// | | no room in memory, `beforeReturning` | make room: commit, and try again |
    /// | | no room in the queue, `beforeReturning` | look again: commit, read the totals, and try again |
    /// | | no room otherwise | refused |
    /// | `appendAsTask` | room for an event or more | suspend in the group; a flush commits |
    /// | `commitBegan` | nothing to write, no waiting caller | nothing |
    /// | | the file failed, the pause is not over | back off: the group learns the failure |
    /// | | otherwise | write |
    /// | `take` | the transaction holds the file's lock | everything is in flight; the next group collects |
    /// | `commitSucceeded` | | everything in flight is in the file; wake its group |
    /// | `commitFailed` | | everything in flight waits again; the pause doubles; wake the group |
    /// | `leadEnded` | the collecting group has a next leader | promote it: it leads |
    /// | | otherwise | no thread leads |
    /// | `flushBegan` | | the queues to look at, and a user to repair |
    /// | `flushFailed` | something is left to write | try again when the pause is over |
    /// | `events.remove` | | waiting events are removed; the others are to be removed from the file |
    /// | `removalFailed` | | repeated with the next transaction; wakes the background thread |
    /// | `forked` | | the child starts empty: its parent writes |
    package struct JournalState: Sendable {
        private let options: SQLiteOptions
        private let waitsForDurability: Bool
        private let random: any RandomSource

        package var events: PendingEvents
        package var profiles: PendingProfiles
        private var leadership = CommitLeadership()
        private var backoff: WriteBackoff
        /// Whether the background thread has been signaled to write.
        private var isFlushScheduled = false

        package init(options: SQLiteOptions, queues names: [String] = [], random: any RandomSource = .system) {
            self.options = options
            self.random = random
            backoff = WriteBackoff(random: random)
            waitsForDurability = options.durability == .beforeReturning
            events = PendingEvents(options: options, queues: names)
            profiles = PendingProfiles(options: options)
        }

        /// The process was forked, and this is the child.
        package mutating func forked() {
            self = JournalState(options: options, queues: events.queueNames, random: random)
        }

        // MARK: Adding

        /// Adds events as long as there is room. Returns the action for the added events, or for the first one if there
        /// is no room for it, and the index of the first event that was not added. `totalsAreFresh`: the caller has
        /// just read the queue's totals.
        package mutating func append<Events: RandomAccessCollection>(
            _ events: Events, from start: Int = 0, to queue: Int, totalsAreFresh: Bool = false
        ) -> (AddAction, end: Int) where Events.Element == OutgoingEvent, Events.Index == Int {
            let (first, wasUrgent) = (leadership.eventCount, self.events.isUrgent)
            let (end, limit) = fill(events, from: start, queue)
            if let limit, end == start { return (action(at: limit, queue, totalsAreFresh), start) }
            return (join(first: first, isUrgent: !wasUrgent && self.events.isUrgent), end)
        }

        /// Like `append`, for a task that waits for the file. Returns the group in which it has to suspend; nil if
        /// there is no room for its first event.
        package mutating func appendAsTask(
            _ events: [OutgoingEvent], to queue: Int
        ) -> (group: CommitGroup, first: Int, end: Int, needsFlush: Bool)? {
            let first = leadership.eventCount
            let (end, _) = fill(events, from: 0, queue)
            return end > 0 ? (leadership.group, first, end, scheduleFlush()) : nil
        }

        private mutating func fill<Events: RandomAccessCollection>(
            _ events: Events, from start: Int, _ queue: Int
        ) -> (end: Int, PendingEvents.Limit?) where Events.Element == OutgoingEvent, Events.Index == Int {
            for index in start..<events.endIndex {
                let event = events[index]
                if let limit = self.events.makeRoom(for: event, in: queue, keeping: leadership.group.number) {
                    return (index, limit)
                }
                self.events.add(event, to: queue, place: waitsForDurability ? leadership.addEvent() : nil)
            }
            return (events.endIndex, nil)
        }

        private mutating func action(
            at limit: PendingEvents.Limit, _ queue: Int, _ totalsAreFresh: Bool
        ) -> AddAction {
            switch limit {
            case .size: return .refused(needsFlush: false)
            // A caller that waits for the file anyway can write; a decision must not.
            case .memory: return waitsForDurability ? .makeRoom : .refused(needsFlush: false)
            case .queue:
                events.markOutdated(queue)
                if waitsForDurability { return totalsAreFresh ? .refused(needsFlush: false) : .reloadTotals }
                return .refused(needsFlush: scheduleFlush())
            }
        }

        /// Adds a change of assignments.
        package mutating func save(_ change: ProfileChange) -> AddAction {
            guard profiles.add(change, group: leadership.group.number) else {
                return waitsForDurability && profiles.holdsMemory ? .makeRoom : .refused(needsFlush: false)
            }
            return join(first: leadership.eventCount)
        }

        private mutating func join(first: Int, isUrgent: Bool = false) -> AddAction {
            guard waitsForDurability else { return .accepted(needsFlush: scheduleFlush(isUrgent: isUrgent)) }
            switch leadership.join() {
            case .lead: return .lead(leadership.group, first: first)
            case .wait(let isNextLeader): return .wait(leadership.group, first: first, asNextLeader: isNextLeader)
            }
        }

        // MARK: Committing

        /// Whether there is anything to write, or a caller that waits for a commit.
        private var needsCommit: Bool { events.needsCommit || profiles.needsCommit || leadership.hasCallers }

        /// What is not in the file yet.
        package var unwrittenCount: (events: Int, assignments: Int) { (events.unwrittenCount, profiles.unwrittenCount) }

        /// The last failure of the file; nil after a success.
        var error: SQLiteError? { backoff.error }

        /// A thread holds the writer's lock, and is about to write.
        package mutating func commitBegan(evenIfPausing: Bool, at now: ContinuousClock.Instant) -> CommitAction {
            guard needsCommit else { return .nothing(backoff.error) }
            guard !evenIfPausing, let error = backoff.errorDuringPause(at: now) else { return .write }
            return .backOff(error, waitsForDurability ? leadership.closeGroup() : nil)
        }

        /// The transaction holds the file's lock: until then, events can be read or dropped.
        package mutating func take() -> CommitBatch {
            let events = events.take()
            let group = leadership.closeGroup(eventCount: events.additions.count)
            return CommitBatch(events: events, profiles: profiles.take(), group: group)
        }

        /// A batch is in the file.
        package mutating func commitSucceeded(_ batch: CommitBatch, _ result: CommitResult) -> EndAction {
            events.committed(batch.events, result)
            profiles.committed(batch.profiles, group: batch.number, latestUse: result.latestUse)
            return EndAction(group: batch.group, isTransition: backoff.succeeded())
        }

        /// A transaction failed; without a batch if it never held the file's lock.
        package mutating func commitFailed(
            _ batch: CommitBatch?, _ error: SQLiteError, at now: ContinuousClock.Instant
        ) -> EndAction {
            let isTransition = fileFailed(error, at: now)
            guard let batch else {
                return EndAction(group: waitsForDurability ? leadership.closeGroup() : nil, isTransition: isTransition)
            }
            events.restore(batch.events, keeping: leadership.group.number)
            profiles.restore(batch.profiles)
            return EndAction(group: batch.group, isTransition: isTransition)
        }

        /// The file could not be read or written. Returns whether this is the first failure in a row.
        package mutating func fileFailed(_ error: SQLiteError, at now: ContinuousClock.Instant) -> Bool {
            backoff.failed(error, at: now)
        }

        /// How many events a leader still expects from the threads of the previous group.
        package var missingCount: Int { leadership.missingCount(waiting: events.waitingCount) }

        /// A leader has written a number of events. Returns the group whose next leader has to be promoted.
        package mutating func leadEnded(eventCount: Int) -> CommitGroup? {
            leadership.leadEnded(written: eventCount, waiting: events.waitingCount)
        }

        // MARK: Flushing

        /// Schedules a flush. Returns whether the background thread has to be woken.
        package mutating func scheduleFlush(isUrgent: Bool = false) -> Bool {
            defer { isFlushScheduled = true }
            return !isFlushScheduled || isUrgent
        }

        /// No thread could be started for the flush. The next event, assignment, delivery or flush tries again.
        mutating func flushImpossible() { isFlushScheduled = false }

        /// The background thread is about to commit. Returns what it has to do afterwards: look at queues, and read a
        /// user again on the writing connection, which repairs a damaged file.
        package mutating func flushBegan() -> (outdatedQueues: [Int], unreadableUser: String?) {
            isFlushScheduled = false
            return (events.takeOutdatedQueues(), profiles.takeUnreadableUser())
        }

        /// The background thread could not commit. Returns when to try again; nil if nothing is left to write.
        package mutating func flushFailed(at now: ContinuousClock.Instant) -> Duration? {
            guard needsCommit else { return nil }
            // A task that waits for the file ends the pause, to be told at once that it cannot be written.
            isFlushScheduled = !waitsForDurability
            return backoff.remainder(at: now)
        }

        /// Events could not be removed from the file. Returns whether the background thread has to be woken.
        package mutating func removalFailed(_ ids: [Int64], of queue: Int) -> Bool {
            events.removalFailed(ids, of: queue)
            return scheduleFlush()
        }

        /// A user's assignments could not be read. Returns whether the background thread has to be woken.
        mutating func readFailed(_ userID: String) -> Bool {
            profiles.readFailed(userID)
            return scheduleFlush()
        }
    }
#endif
