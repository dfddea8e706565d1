#if SQLite
    package import TurnoutClient

    /// The additions that are not in the file yet, and the decision which caller writes them, and when. A value without
    /// a lock, a clock, a thread or a file: each step reports an event, and returns what its caller has to do once the
    /// lock is released.
    ///
    /// ```text
    /// append, remember ──► waiting ────take────► in flight ──commitSucceeded──► in the file
    ///                       │   ▲                    │
    ///  dropped to make room ┘   └────commitFailed────┘
    /// ```
    ///
    /// With `soon`, callers return at once, and a *flush* by the background thread writes. With `beforeReturning`, the
    /// callers whose additions one transaction writes form a commit group: one of them leads the commit, the others
    /// wait. Meanwhile the next group collects, and its first caller becomes the next leader.
    ///
    /// The steps that move data or wake a thread:
    ///
    /// | Step | Situation | Result |
    /// | --- | --- | --- |
    /// | `append`, `remember` | `soon` | accepted; wakes the background thread unless a flush is scheduled |
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
    /// | `remove` | | waiting events are removed; the others are to be removed from the file |
    /// | `removalFailed` | | repeated with the next transaction; wakes the background thread |
    /// | `forked` | | the child starts empty: its parent writes |
    package struct JournalState: Sendable {
        /// Assignments of a user that are not in the file yet.
        struct PendingProfile: Sendable {
            var assignments: [String: String]
            /// Whether these replace those in the file.
            var replaces: Bool
            /// The number of the last commit group that contains some of them.
            var group: Int
        }

        /// Above this size the background thread writes at once instead of after the interval.
        private static let urgentBytes = 8_000_000
        /// From this size on, the cost of the transaction itself is negligible.
        private static let fullGroup = 256
        private static let firstPause = Duration.milliseconds(50)
        private static let longestPause = Duration.seconds(5)

        private let options: SQLiteOptions
        private let waitsForDurability: Bool
        package private(set) var queues: [Queue]
        private(set) var queueNames: [String]

        /// The waiting events; oldest first.
        private(set) var events = BufferedEvents()
        /// The memory of all events that wait or are in flight.
        private var eventBytes = 0
        private var nextID = EventIDs.inMemory
        /// The largest temporary id that a caller has seen.
        private var highestExposedID: Int64 = 0
        /// The ids in the file, by the temporary ids that callers may still use.
        private var moved: [Int64: Int64] = [:]

        private var changes: [ProfileChange] = []
        /// The memory of all changes that wait or are in flight.
        private var changeBytes = 0
        private(set) var pendingProfiles: [ByteKey: PendingProfile] = [:]
        /// Users whose assignments were read long after their previous use.
        private var touched: Set<Int64> = []
        /// The latest use of any user known to this process.
        private(set) var latestUse: Int64 = 0
        /// A user whose assignments could not be read.
        private var unreadableUser: String?

        /// The group that collects.
        private var group = CommitGroup(number: 0)
        /// How many events the callers that wait for the group have added.
        private var groupCount = 0
        private var nextLeader = CommitGroup.NextLeader.none
        /// Whether a thread leads a commit, or is about to.
        private var isLed = false
        /// The approximate number of events that the threads of a commit group add at a time.
        private var expectedCount = 0
        /// Whether the background thread has been signalled to write.
        private var isFlushScheduled = false
        /// The last failure of the file, and when to try again.
        private var failure: (error: SQLiteError, until: ContinuousClock.Instant)?
        private var pause = Self.firstPause

        /// Creates an empty state.
        package init(options: SQLiteOptions, queues names: [String] = []) {
            self.options = options
            waitsForDurability = options.durability == .beforeReturning
            queueNames = names
            queues = names.map { _ in Queue() }
        }

        /// The process was forked, and this is the child.
        package mutating func forked() { self = JournalState(options: options, queues: queueNames) }

        /// The number of a queue, and whether this call added it.
        mutating func queue(_ name: String) -> (number: Int, isNew: Bool) {
            if let number = queueNames.firstIndex(of: name) { return (number, false) }
            queueNames.append(name)
            queues.append(Queue())
            return (queues.count - 1, true)
        }

        // MARK: Adding

        /// Adds events as long as there is room. Returns the action for the added events, or for the first one if there
        /// is no room for it, and the index of the first event that was not added. `hasLooked`: the caller has just
        /// read the queue's totals.
        package mutating func append<Events: RandomAccessCollection>(
            _ events: Events, from start: Int = 0, to queue: Int, hasLooked: Bool = false
        ) -> (AddAction, end: Int) where Events.Element == OutgoingEvent, Events.Index == Int {
            let (first, bytes) = (groupCount, eventBytes)
            let (end, obstacle) = fill(events, from: start, queue)
            if let obstacle, end == start { return (action(at: obstacle, queue, hasLooked), start) }
            let isUrgent = bytes <= Self.urgentBytes && Self.urgentBytes < eventBytes
            return (join(first: first, isUrgent: isUrgent), end)
        }

        /// Like `append`, for a task that waits for the file. Returns the group in which it has to suspend; nil if
        /// there is no room for its first event.
        package mutating func appendAsTask(
            _ events: [OutgoingEvent], to queue: Int
        ) -> (group: CommitGroup, first: Int, end: Int, needsFlush: Bool)? {
            let first = groupCount
            let (end, _) = fill(events, from: 0, queue)
            return end > 0 ? (group, first, end, scheduleFlush()) : nil
        }

        private mutating func fill<Events: RandomAccessCollection>(
            _ events: Events, from start: Int, _ queue: Int
        ) -> (end: Int, Obstacle?) where Events.Element == OutgoingEvent, Events.Index == Int {
            for index in start..<events.endIndex {
                if let obstacle = makeRoom(for: events[index], in: queue) { return (index, obstacle) }
                add(events[index], to: queue)
            }
            return (events.endIndex, nil)
        }

        /// Adds a change of assignments.
        package mutating func remember(_ change: ProfileChange) -> AddAction {
            guard changeBytes + change.size <= options.maximumBufferedBytes / 4 else {
                return waitsForDurability && changeBytes > 0 ? .makeRoom : .refused(needsFlush: false)
            }
            changes.append(change)
            changeBytes += change.size
            let user = ByteKey(change.userID)
            let known = change.replaces ? nil : pendingProfiles[user]
            pendingProfiles[user] = PendingProfile(
                assignments: (known?.assignments ?? [:]).merging(change.assignments) { $1 },
                replaces: change.replaces || known?.replaces == true, group: group.number)
            return join(first: groupCount)
        }

        private mutating func join(first: Int, isUrgent: Bool = false) -> AddAction {
            guard waitsForDurability else { return .accepted(needsFlush: scheduleFlush(isUrgent: isUrgent)) }
            guard isLed else {
                isLed = true
                return .lead(group, first: first)
            }
            let isNextLeader = nextLeader == .none
            if isNextLeader { nextLeader = .waiting }
            return .wait(group, first: first, asNextLeader: isNextLeader)
        }

        private mutating func add(_ event: OutgoingEvent, to queue: Int) {
            let place = waitsForDurability ? (group: group.number, index: groupCount) : nil
            if waitsForDurability { groupCount += 1 }
            events.append(BufferedEvent(queue: queue, event: event, id: nextID, place: place))
            nextID += 1
            eventBytes += BufferedEvent.size(of: event)
            queues[queue].waiting.add(event)
        }

        // MARK: Room

        private enum Obstacle { case size, queue, memory }

        /// Why an event cannot be added; nil if there is room, for which others may have been dropped.
        private mutating func makeRoom(for event: OutgoingEvent, in queue: Int) -> Obstacle? {
            let (bytes, size) = (event.visitor.count, BufferedEvent.size(of: event))
            guard bytes <= options.maximumBytes, size <= options.maximumBufferedBytes else { return .size }
            // With `dropOldest`, events in the file make room when this one is written.
            if options.overflow == .refuseNewest, isFull(queue, besides: bytes) { return .queue }
            while eventBytes + size > options.maximumBufferedBytes
                || (options.overflow == .dropOldest && isOverfull(queue, with: Queue.Tally(count: 1, bytes: bytes)))
            {
                guard options.overflow == .dropOldest, dropOldest(of: queue) else { return .memory }
            }
            return nil
        }

        private mutating func action(at obstacle: Obstacle, _ queue: Int, _ hasLooked: Bool) -> AddAction {
            switch obstacle {
            case .size: return .refused(needsFlush: false)
            // A caller that waits for the file anyway can write; a decision must not.
            case .memory: return waitsForDurability ? .makeRoom : .refused(needsFlush: false)
            case .queue:
                queues[queue].isOutdated = true
                if waitsForDurability { return hasLooked ? .refused(needsFlush: false) : .lookAgain }
                return .refused(needsFlush: scheduleFlush())
            }
        }

        private func isFull(_ queue: Int, besides bytes: Int) -> Bool {
            var all = queues[queue].stored
            all += queues[queue].inFlight
            all += queues[queue].waiting
            return all.count >= options.maximumEvents + queues[queue].removals.count
                || all.bytes + bytes > options.maximumBytes
        }

        /// Whether more events wait than the file may hold.
        private func isOverfull(_ queue: Int, with more: Queue.Tally = .init()) -> Bool {
            queues[queue].waiting.count + more.count > options.maximumEvents
                || queues[queue].waiting.bytes + more.bytes > options.maximumBytes
        }

        /// Drops the oldest waiting event of a queue. Returns false if there is none, or if it is in the group that
        /// collects: its caller is about to report that it is in the file.
        private mutating func dropOldest(of queue: Int) -> Bool {
            guard let entry = events.removeFirst(of: queue, unlessIn: group.number) else { return false }
            forget(entry)
            queues[queue].losses.add(1, .noRoom)
            return true
        }

        private mutating func forget(_ entry: BufferedEvent) {
            queues[entry.queue].waiting.subtract(entry.event)
            eventBytes -= entry.size
        }

        // MARK: Committing

        /// Whether there is anything to write, or a caller that waits for a commit. Its event may have been removed;
        /// the caller must still be told.
        private var hasWork: Bool {
            !events.isEmpty || !changes.isEmpty || !touched.isEmpty || nextLeader != .none || groupCount > 0
                || queues.contains { !$0.removals.isEmpty }
        }

        /// A thread holds the writer's lock, and is about to write.
        package mutating func commitBegan(evenIfPausing: Bool, at now: ContinuousClock.Instant) -> CommitAction {
            guard hasWork else { return .nothing(failure?.error) }
            guard !evenIfPausing, let failure, now < failure.until else { return .write }
            return .backOff(failure.error, waitsForDurability ? closeGroup() : nil)
        }

        /// The transaction holds the file's lock: until then, events can be read or dropped.
        package mutating func take() -> CommitBatch {
            var removals: [Int: Set<Int64>] = [:]
            for index in queues.indices {
                (queues[index].inFlight, queues[index].waiting) = (queues[index].waiting, .init())
                if !queues[index].removals.isEmpty { removals[index] = queues[index].removals }
            }
            defer { (events, changes, touched) = (BufferedEvents(), [], []) }
            return CommitBatch(
                events: events, eventBytes: eventBytes, changes: changes, touched: touched, removals: removals,
                queueNames: queueNames, group: closeGroup(eventCount: events.count))
        }

        private mutating func closeGroup(eventCount: Int = 0) -> ClosedGroup {
            defer { (group, groupCount, nextLeader) = (CommitGroup(number: group.number + 1), 0, .none) }
            return ClosedGroup(members: group, nextLeader: nextLeader, eventCount: eventCount)
        }

        /// A batch is in the file.
        package mutating func commitSucceeded(_ batch: CommitBatch, _ result: CommitResult) -> EndAction {
            for index in queues.indices { queues[index].inFlight = .init() }
            for (queue, tally) in result.stored { queues[queue].stored = tally }
            for (queue, count) in result.dropped { queues[queue].losses.add(count, .noRoom) }
            for (queue, ids) in batch.removals { queues[queue].removals.subtract(ids) }
            if let use = result.latestUse { latestUse = use }
            eventBytes -= batch.eventBytes
            for (entry, id) in zip(batch.events, result.ids) {
                guard entry.id <= highestExposedID else { break }
                if let id { moved[entry.id] = id }
            }
            for change in batch.changes {
                changeBytes -= change.size
                let user = ByteKey(change.userID)
                // Later changes are still pending.
                if let pending = pendingProfiles[user], pending.group <= batch.number { pendingProfiles[user] = nil }
            }
            defer { (failure, pause) = (nil, Self.firstPause) }
            return EndAction(group: batch.group, isNews: failure != nil)
        }

        /// A transaction failed; without a batch if it never held the file's lock.
        package mutating func commitFailed(
            _ batch: CommitBatch?, _ error: SQLiteError, at now: ContinuousClock.Instant
        ) -> EndAction {
            let isNews = fileFailed(error, at: now)
            guard let batch else { return EndAction(group: waitsForDurability ? closeGroup() : nil, isNews: isNews) }
            var restored = batch.events
            restored.append(contentsOf: events)
            events = restored
            changes = batch.changes + changes
            touched.formUnion(batch.touched)
            for index in queues.indices {
                queues[index].waiting += queues[index].inFlight
                queues[index].inFlight = .init()
                // Events that were added in the meantime may exceed the limits.
                while options.overflow == .dropOldest, isOverfull(index), dropOldest(of: index) {}
            }
            return EndAction(group: batch.group, isNews: isNews)
        }

        /// The file could not be read or written. Returns whether this is the first failure in a row.
        package mutating func fileFailed(_ error: SQLiteError, at now: ContinuousClock.Instant) -> Bool {
            defer {
                failure = (error, now + pause)
                pause = min(pause * 2, Self.longestPause)
            }
            return failure == nil
        }

        // MARK: Leading

        /// How many events a leader still expects from the threads of the previous group: a transaction costs as much
        /// as many events.
        package var missingCount: Int { max(0, min(expectedCount, Self.fullGroup) - events.count) }

        /// A leader has written a number of events. Returns the group whose next leader has to be promoted.
        package mutating func leadEnded(eventCount: Int) -> CommitGroup? {
            expectedCount = events.count + eventCount
            isLed = nextLeader == .waiting
            guard isLed else { return nil }
            nextLeader = .promoted
            return group
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
            defer {
                for index in queues.indices { queues[index].isOutdated = false }
                (isFlushScheduled, unreadableUser) = (false, nil)
            }
            return (queues.indices.filter { queues[$0].isOutdated }, unreadableUser)
        }

        /// The background thread could not commit. Returns when to try again; nil if nothing is left to write.
        package mutating func flushFailed(at now: ContinuousClock.Instant) -> Duration? {
            guard hasWork else { return nil }
            // A task that waits for the file ends the pause, to be told at once that it cannot be written.
            isFlushScheduled = !waitsForDurability
            return failure.map { max(.milliseconds(1), now.duration(to: $0.until)) } ?? .zero
        }

        // MARK: Reading and removing

        /// Records the contents of a queue in the file, and how many damaged events were found there.
        package mutating func counted(_ tally: Queue.Tally, damaged: Int = 0, in queue: Int) {
            queues[queue].stored = tally
            queues[queue].losses.add(damaged, .damaged)
        }

        /// Counts events that were lost with a damaged file, by the names of their queues. Leaves unknown queues.
        mutating func lost(_ counts: inout [String: Int]) {
            for (index, name) in queueNames.enumerated() where !counts.isEmpty {
                if let count = counts.removeValue(forKey: name) { queues[index].losses.add(count, .damaged) }
            }
        }

        /// The oldest waiting events after an id.
        package mutating func waiting(_ count: Int, after last: Int64 = .min, of queue: Int) -> [StoredEvent] {
            guard count > 0 else { return [] }
            var found: [StoredEvent] = []
            for entry in events where entry.queue == queue && entry.id > last {
                found.append(StoredEvent(id: entry.id, event: entry.event))
                highestExposedID = max(highestExposedID, entry.id)
                if found.count == count { break }
            }
            return found
        }

        /// Removes waiting events. Returns the ids of the others in the file. No transaction may be running.
        package mutating func remove(_ ids: [Int64], of queue: Int) -> [Int64] {
            var inFile: [Int64] = []
            var inMemory: Set<Int64> = []
            for id in ids {
                if id < EventIDs.inMemory {
                    inFile.append(id)
                } else if let movedTo = moved.removeValue(forKey: id) {
                    inFile.append(movedTo)
                } else {
                    inMemory.insert(id)
                }
            }
            // Events are delivered from the front, so this loop removes nearly all of them.
            while let first = events.first, first.queue == queue, inMemory.remove(first.id) != nil {
                events.removeFirst()
                forget(first)
            }
            guard !inMemory.isEmpty else { return inFile }
            for entry in events.removeAll(where: { $0.queue == queue && inMemory.contains($0.id) }) { forget(entry) }
            return inFile
        }

        /// Events could not be removed from the file. Returns whether the background thread has to be woken.
        package mutating func removalFailed(_ ids: [Int64], of queue: Int) -> Bool {
            queues[queue].removals.formUnion(ids)
            return scheduleFlush()
        }

        // MARK: Assignments

        /// A user's assignments were read long after their previous use.
        mutating func touch(_ user: Int64) { if touched.count < 1_000 { touched.insert(user) } }

        /// A user's assignments could not be read. Returns whether the background thread has to be woken.
        mutating func readFailed(_ userID: String) -> Bool {
            unreadableUser = userID
            return scheduleFlush()
        }

        /// Drops the waiting changes of a user, or of all users if nil.
        package mutating func dropChanges(of userID: String?) {
            let user = userID.map(ByteKey.init)
            changes.removeAll { user == nil || ByteKey($0.userID) == user }
            // No transaction is running, so these are all changes in memory.
            changeBytes = changes.reduce(0) { $0 + $1.size }
            if let user { pendingProfiles[user] = nil } else { pendingProfiles = [:] }
        }
    }
#endif
