#if SQLite
    import TurnoutClient

    /// An event that is not in the file yet.
    struct BufferedEvent: Sendable {
        let queue: Int
        let event: OutgoingEvent
        /// Its temporary id, until it is in the file.
        let id: Int64
        /// Its commit group and its index there, if a caller waits for the outcome. Only such events can be refused
        /// after they were added.
        let place: (group: Int, index: Int)?

        /// An estimate of the memory that an event takes.
        static func size(of event: OutgoingEvent) -> Int { event.visitor.count + 200 }
        var size: Int { Self.size(of: event) }
    }

    /// The contents of one transaction.
    struct CommitBatch: Sendable {
        let events: BufferedEvents
        let changes: [ProfileChange]
        let touched: Set<Int64>
        /// Ids of events to remove, by queue, whose removal failed before.
        let removals: [Int: Set<Int64>]
        let group: CommitGroup
        let number: Int
        let nextLeader: CommitGroup.NextLeader
    }

    /// The result of a transaction.
    struct CommitResult: Sendable {
        var totals: [Int: Totals] = [:]
        /// The ids of the events; nil for refused ones.
        var ids: [Int64?] = []
        var refused: Set<Int> = []
        /// How many events of each queue were dropped to make room.
        var dropped: [Int: Int] = [:]
        /// The latest use of a user; nil if none was used.
        var latestUse: Int64?
    }

    /// A queue as one process sees it.
    struct QueueState: Sendable {
        let name: String
        /// The events in the file, as far as this process knows.
        var stored = Tally()
        /// The events that are not in the file yet.
        var waiting = Tally()
        /// The part of `waiting` that the running transaction writes.
        var inFlight = Tally()
        var losses = EventLosses()
        /// Ids in the file whose removal failed and will be repeated.
        var removals: Set<Int64> = []
        /// Whether an event did not fit, so `stored` has to be read again: another process may have removed events.
        var isOutdated = false

        struct Tally: Sendable {
            var count = 0
            var bytes = 0
            mutating func add(_ event: OutgoingEvent) {
                count += 1
                bytes += event.visitor.count
            }
            mutating func subtract(_ event: OutgoingEvent) {
                count -= 1
                bytes -= event.visitor.count
            }
        }

        var count: Int { max(0, stored.count + waiting.count - removals.count) }
        /// The events in `waiting` that can still be dropped.
        var pending: Tally { Tally(count: waiting.count - inFlight.count, bytes: waiting.bytes - inFlight.bytes) }
    }

    /// Additions that are not in the file yet. Bounded: see ``SQLiteOptions/maximumBufferedBytes``.
    struct Buffer {
        /// Assignments of a user that are not in the file yet.
        struct PendingProfile {
            var assignments: [String: String]
            /// Whether these replace those in the file.
            var replaces: Bool
            /// The last commit group that contains some of them.
            var group: Int
        }

        var queues: [QueueState] = []
        /// The numbers of queues, by name.
        private(set) var queueNumbers: [String: Int] = [:]
        /// Events that no transaction has taken, or that could not be written; oldest first.
        private(set) var events = BufferedEvents()
        /// The memory of all events that are not in the file, including those that a transaction is writing.
        private(set) var eventBytes = 0
        private var eventBytesInFlight = 0
        private(set) var changes: [ProfileChange] = []
        /// The memory of all assignments that are not in the file.
        private(set) var changeBytes = 0
        private(set) var pendingProfiles: [ByteKey: PendingProfile] = [:]
        /// Users whose assignments were read long after their previous use.
        var touched: Set<Int64> = []
        /// The latest use of any user known to this process.
        var latestUse: Int64 = 0
        /// A user whose assignments could not be read. The background thread reads them again and repairs the file if
        /// it is damaged.
        var unreadableUser: String?
        private(set) var group = CommitGroup()
        private(set) var groupNumber = 0
        /// How many events the callers that wait for the group have added.
        private(set) var groupCount = 0
        var nextLeader = CommitGroup.NextLeader.none
        /// Whether a thread leads a commit, or is about to.
        var isLed = false
        /// The approximate number of events that the threads of a commit group add at a time.
        var expectedCount = 0
        /// Whether the background thread has been signalled to write.
        var isFlushScheduled = false
        private var nextID = EventIDs.inMemory
        /// The largest temporary id that a caller has seen.
        var highestExposedID: Int64 = 0
        /// The ids in the file, by the temporary ids that callers may still use.
        private var moved: [Int64: Int64] = [:]

        // MARK: Writing

        /// Whether there is anything to write, or a caller that waits for a commit. Its event may have been dropped;
        /// the caller must still be told.
        var hasWork: Bool {
            !events.isEmpty || !changes.isEmpty || nextLeader != .none || groupCount > 0
                || queues.contains { !$0.removals.isEmpty }
        }

        /// Takes everything that has to be written.
        mutating func take() -> CommitBatch {
            var removals: [Int: Set<Int64>] = [:]
            for index in queues.indices {
                queues[index].inFlight = queues[index].waiting
                if !queues[index].removals.isEmpty { removals[index] = queues[index].removals }
            }
            let batch = CommitBatch(
                events: events, changes: changes, touched: touched, removals: removals, group: group,
                number: groupNumber, nextLeader: nextLeader)
            (events, changes, touched) = (BufferedEvents(), [], [])
            eventBytesInFlight = eventBytes
            _ = nextGroup(eventCount: 0)
            return batch
        }

        /// Ends the current group and begins another one.
        mutating func nextGroup(eventCount: Int) -> EndedGroup {
            defer { (group, groupNumber, groupCount, nextLeader) = (CommitGroup(), groupNumber + 1, 0, .none) }
            return EndedGroup(group: group, nextLeader: nextLeader, eventCount: eventCount)
        }

        /// The number of a queue, and whether this call added it.
        mutating func queue(_ name: String) -> (number: Int, isNew: Bool) {
            if let number = queueNumbers[name] { return (number, false) }
            queueNumbers[name] = queues.count
            queues.append(QueueState(name: name))
            return (queues.count - 1, true)
        }

        /// Records that a batch is in the file.
        mutating func publish(_ batch: CommitBatch, _ result: CommitResult) {
            for (queue, totals) in result.totals { set(totals, of: queue) }
            if let use = result.latestUse { latestUse = use }
            for (queue, count) in result.dropped { queues[queue].losses.add(count, .noRoom) }
            for (queue, ids) in batch.removals { queues[queue].removals.subtract(ids) }
            for index in queues.indices {
                queues[index].waiting = queues[index].pending
                queues[index].inFlight = .init()
            }
            eventBytes -= eventBytesInFlight
            eventBytesInFlight = 0
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
        }

        /// Returns a batch that could not be written to the buffer.
        mutating func restore(_ batch: CommitBatch) {
            var restored = batch.events
            restored.append(contentsOf: events)
            events = restored
            changes = batch.changes + changes
            touched.formUnion(batch.touched)
            eventBytesInFlight = 0
            for index in queues.indices { queues[index].inFlight = .init() }
        }

        /// Adds the caller to the threads that wait for the commit group. Returns whether it is the first of them: that
        /// thread may have to lead the next commit.
        mutating func join() -> Bool {
            guard nextLeader == .none else { return false }
            nextLeader = .waiting
            return true
        }

        mutating func set(_ totals: Totals, of queue: Int) {
            queues[queue].stored = .init(count: Int(totals.count), bytes: Int(totals.bytes))
        }

        // MARK: Events

        /// Adds an event. If a thread waits for it, it is refused when the file turns out to be full.
        mutating func add(_ event: OutgoingEvent, to queue: Int, waits: Bool) {
            let place = waits ? (group: groupNumber, index: groupCount) : nil
            if waits { groupCount += 1 }
            events.append(BufferedEvent(queue: queue, event: event, id: nextID, place: place))
            nextID += 1
            eventBytes += BufferedEvent.size(of: event)
            queues[queue].waiting.add(event)
        }

        /// Drops the oldest event of a queue to make room. Returns false if none can be dropped.
        mutating func dropOldest(of queue: Int) -> Bool {
            guard queues[queue].pending.count > 0, let entry = events.removeFirst(where: { $0.queue == queue })
            else { return false }
            subtract(entry)
            queues[queue].losses.add(1, .noRoom)
            return true
        }

        private mutating func subtract(_ entry: BufferedEvent) {
            queues[entry.queue].waiting.subtract(entry.event)
            eventBytes -= entry.size
        }

        /// Removes events that are in memory only. Returns the ids of the others in the file.
        mutating func removeFromMemory(_ ids: [Int64], of queue: Int) -> [Int64] {
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
                subtract(first)
            }
            guard !inMemory.isEmpty else { return inFile }
            var removed: [BufferedEvent] = []
            events.removeAll { entry in
                guard entry.queue == queue, inMemory.contains(entry.id) else { return false }
                removed.append(entry)
                return true
            }
            for entry in removed { subtract(entry) }
            return inFile
        }

        // MARK: Assignments

        /// Adds a change to the buffer.
        mutating func add(_ change: ProfileChange) {
            changes.append(change)
            changeBytes += change.size
            let user = ByteKey(change.userID)
            let known = change.replaces ? nil : pendingProfiles[user]
            pendingProfiles[user] = PendingProfile(
                assignments: (known?.assignments ?? [:]).merging(change.assignments) { $1 },
                replaces: change.replaces || known?.replaces == true, group: groupNumber)
        }

        /// Drops the buffered changes of a user, or of all users if nil.
        mutating func dropChanges(of userID: String?) {
            let user = userID.map(ByteKey.init)
            var dropped = 0
            changes.removeAll { change in
                guard user == nil || ByteKey(change.userID) == user else { return false }
                dropped += change.size
                return true
            }
            changeBytes -= dropped
            if let user { pendingProfiles[user] = nil } else { pendingProfiles = [:] }
        }
    }
#endif
