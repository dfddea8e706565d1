#if SQLite
    import TurnoutClient

    /// An event that is not in the file yet.
    struct BufferedEvent: Sendable {
        let queue: Int
        let event: OutgoingEvent
        /// Its place in the round, if somebody waits for it; such events can still be refused.
        let place: Int?
        /// Its id as long as it is in memory only, after it could not be written.
        var id: Int64?
    }

    /// What one transaction writes.
    struct Load: Sendable {
        var events: [BufferedEvent]
        var changes: [ProfileChange]
        var touched: Set<Int64>
        /// Events to remove, by queue, which could not be removed before.
        var removals: [Int: Set<Int64>]
        let round: Round
        let number: Int
        /// Whether somebody waits for it who might have written it.
        let heir: Round.Heir
    }

    /// What a transaction did.
    struct LoadResult: Sendable {
        var totals: [Int: Totals] = [:]
        /// The ids that the events got, nil for those that were refused.
        var ids: [Int64?] = []
        var refused: Set<Int> = []
        /// How many events of a queue had to make room.
        var dropped: [Int: Int] = [:]
        /// The latest use of a user; nil: none was used.
        var latestUse: Int64?
    }

    /// A queue as one process sees it.
    struct QueueState: Sendable {
        let name: String
        /// What is in the file, as far as this process knows.
        var stored = Tally()
        /// What is not in the file yet.
        var waiting = Tally()
        var losses = EventLosses()
        /// Ids in the file that are to be removed as soon as that works.
        var removals: Set<Int64> = []

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
    }

    /// What waits to be written.
    struct Buffer {
        var queues: [QueueState] = []
        /// Events nobody has tried to write.
        var events: [BufferedEvent] = []
        /// Events that could not be written, older than the others.
        var stranded: [BufferedEvent] = []
        var bytes = 0
        var changes: [ProfileChange] = []
        var strandedChanges: [ProfileChange] = []
        /// Users whose assignments were read long after they were used last.
        var touched: Set<Int64> = []
        /// The latest use of any user that this process knows of.
        var latestUse: Int64 = 0
        /// What was remembered and is not in the file, by user, and the last round that has some of it.
        var overlay: [ExactText: (assignments: [String: String], round: Int)] = [:]
        var round = Round()
        var roundNumber = 0
        /// Who of those who wait for the round writes it.
        var heir = Round.Heir.nobody
        /// Whether a thread writes, or is about to.
        var isLed = false
        /// About how many events the threads that wait for theirs add at a time.
        var expectedCount = 0
        /// Whether the background writer knows that there is something to write.
        var isAlarmSet = false
        private var nextID = EventIDs.inMemory
        /// The largest id in memory that anybody was told.
        var servedID: Int64 = 0
        /// The ids in the file of events that had one in memory, which somebody may still use.
        var moved: [Int64: Int64] = [:]

        // MARK: Writing

        /// Takes what is to be written; nil: nothing is.
        mutating func take(withStranded: Bool) -> Load? {
            let removals = withStranded ? self.removals : [:]
            var load = Load(
                events: events, changes: changes, touched: touched, removals: removals, round: round,
                number: roundNumber, heir: heir)
            if withStranded {
                load.events = stranded + events
                load.changes = strandedChanges + changes
                (stranded, strandedChanges) = ([], [])
            }
            // What somebody waits for may have been dropped meanwhile; they are to be woken all the same.
            guard !load.events.isEmpty || !load.changes.isEmpty || !load.removals.isEmpty || heir != .nobody
            else { return nil }
            (events, changes, touched, bytes) = ([], [], [], 0)
            (round, roundNumber, heir) = (Round(), roundNumber + 1, .nobody)
            return load
        }

        private var removals: [Int: Set<Int64>] {
            var removals: [Int: Set<Int64>] = [:]
            for (index, queue) in queues.enumerated() where !queue.removals.isEmpty { removals[index] = queue.removals }
            return removals
        }

        /// Notes that a load is in the file.
        mutating func publish(_ load: Load, _ result: LoadResult) {
            for (queue, totals) in result.totals { set(totals, of: queue) }
            if let use = result.latestUse { latestUse = use }
            for (queue, count) in result.dropped { queues[queue].losses.add(count, .noRoom) }
            for (queue, ids) in load.removals { queues[queue].removals.subtract(ids) }
            for (entry, id) in zip(load.events, result.ids) {
                queues[entry.queue].waiting.subtract(entry.event)
                if let old = entry.id, let id, old <= servedID { moved[old] = id }
            }
            for change in load.changes {
                let key = ExactText(change.userID)
                // What came later is still on its way.
                if let waiting = overlay[key], waiting.round <= load.number { overlay[key] = nil }
            }
        }

        /// Lets the caller wait for the round. Whether it is the first one, who may have to write it.
        mutating func join() -> Bool {
            guard heir == .nobody else { return false }
            heir = .waiting
            return true
        }

        mutating func set(_ totals: Totals, of queue: Int) {
            queues[queue].stored = .init(count: Int(totals.count), bytes: Int(totals.bytes))
        }

        /// Keeps a load in memory that could not be written.
        mutating func strand(_ load: Load) {
            var events = load.events
            for index in events.indices where events[index].id == nil {
                events[index].id = nextID
                nextID += 1
            }
            stranded += events
            strandedChanges += load.changes
            touched.formUnion(load.touched)
        }

        // MARK: Events

        /// Removes events that are in memory only, or on their way to the file. Ids in the file are returned.
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
            guard !inMemory.isEmpty else { return inFile }
            stranded.removeAll { entry in
                guard entry.queue == queue, let id = entry.id, inMemory.contains(id) else { return false }
                queues[queue].waiting.subtract(entry.event)
                return true
            }
            return inFile
        }

        /// Lets the oldest event that could not be written make room. False: there is none.
        mutating func dropOldest(of queue: Int) -> Bool {
            guard let place = stranded.firstIndex(where: { $0.queue == queue }) else { return false }
            queues[queue].waiting.subtract(stranded.remove(at: place).event)
            queues[queue].losses.add(1, .noRoom)
            return true
        }

        // MARK: Assignments

        /// Adds a change to what is to be written.
        mutating func add(_ change: ProfileChange) {
            changes.append(change)
            let key = ExactText(change.userID)
            let known = overlay[key]?.assignments ?? [:]
            overlay[key] = (known.merging(change.assignments) { $1 }, roundNumber)
        }

        /// Drops what was to be remembered of a user; nil: of anybody.
        mutating func dropChanges(of userID: String?) {
            let key = userID.map(ExactText.init)
            func concerns(_ change: ProfileChange) -> Bool { key == nil || ExactText(change.userID) == key }
            changes.removeAll(where: concerns)
            strandedChanges.removeAll(where: concerns)
            if let key { overlay[key] = nil } else { overlay = [:] }
        }
    }
#endif
