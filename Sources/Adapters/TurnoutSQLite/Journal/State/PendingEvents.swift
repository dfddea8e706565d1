#if SQLite
    package import TurnoutClient

    /// The events that are not in the file yet, and the totals of the queues. Part of ``JournalState``.
    ///
    /// ```text
    /// add ──► waiting ──take──► in flight ──committed──► in the file
    ///          │   ▲                 │
    ///  dropped ┘   └────restore──────┘
    /// ```
    ///
    /// A waiting event has a temporary id. A delivery that has read it under that id may remove it under that id even
    /// after it moved to the file.
    package struct PendingEvents: Sendable {
        /// Why an event cannot be added.
        package enum Limit: Sendable {
            /// It alone exceeds a limit.
            case size
            case queue
            /// The memory for events is full.
            case memory
        }

        /// The events of one transaction.
        package struct Batch: Sendable {
            package let additions: BufferedEvents
            /// The memory of the additions.
            fileprivate let bytes: Int
            /// Ids in the file to remove, by queue, whose removal failed before.
            package let removals: [Int: Set<Int64>]
            let queueNames: [String]
        }

        /// Above this size the background thread writes at once instead of after the interval.
        private static let urgentBytes = 8_000_000

        private let options: SQLiteOptions
        package private(set) var queues: [JournalQueue]
        private(set) var queueNames: [String]
        /// The waiting events; oldest first.
        private var waiting = BufferedEvents()
        /// The memory of all events that wait or are in flight.
        private var bytes = 0
        private var nextID = EventIDs.inMemory
        /// The largest temporary id that a delivery has read.
        private var highestExposedID: Int64 = 0
        /// The ids in the file, by the temporary ids that deliveries may still use.
        private var moved: [Int64: Int64] = [:]

        /// Creates a state without events.
        package init(options: SQLiteOptions, queues names: [String]) {
            self.options = options
            queueNames = names
            queues = names.map { _ in JournalQueue() }
        }

        /// The number of waiting events.
        var waitingCount: Int { waiting.count }
        /// The number of events that wait or are in flight.
        var unwrittenCount: Int { queues.reduce(0) { $0 + $1.waiting.count + $1.inFlight.count } }
        /// Whether there is an event to write or to remove.
        var needsCommit: Bool { !waiting.isEmpty || queues.contains { !$0.removals.isEmpty } }
        /// Whether so much memory is in use that events should be written at once.
        var isUrgent: Bool { bytes > Self.urgentBytes }

        /// The number of a queue, and whether this call added it.
        mutating func queue(_ name: String) -> (number: Int, isNew: Bool) {
            if let number = queueNames.firstIndex(of: name) { return (number, false) }
            queueNames.append(name)
            queues.append(JournalQueue())
            return (queues.count - 1, true)
        }

        // MARK: Adding

        /// Makes room for an event.
        ///
        /// - Parameters:
        ///   - event: The event.
        ///   - queue: Its queue.
        ///   - group: The commit group that collects. Its events are not dropped, because its callers are about to
        ///     report that they are in the file.
        /// - Returns: Why there is no room; nil if there is, for which older events may have been dropped.
        package mutating func makeRoom(for event: OutgoingEvent, in queue: Int, keeping group: Int) -> Limit? {
            let (bytes, size) = (event.visitor.count, BufferedEvent.size(of: event))
            guard bytes <= options.maximumBytes, size <= options.maximumBufferedBytes else { return .size }
            let drops = options.overflow == .dropOldest
            if !drops, queues[queue].isFull(besides: bytes, options) { return .queue }
            // Events in the file make room when this one is written.
            while self.bytes + size > options.maximumBufferedBytes
                || (drops && queues[queue].isOverfull(with: .init(count: 1, bytes: bytes), options))
            {
                guard drops, dropOldest(of: queue, keeping: group) else { return .memory }
            }
            return nil
        }

        /// Adds an event, for which there is room.
        ///
        /// - Parameters:
        ///   - event: The event.
        ///   - queue: Its queue.
        ///   - place: Its commit group and its index there, if a caller waits for the outcome.
        package mutating func add(_ event: OutgoingEvent, to queue: Int, place: (group: Int, index: Int)?) {
            waiting.append(BufferedEvent(queue: queue, event: event, id: nextID, place: place))
            nextID += 1
            bytes += BufferedEvent.size(of: event)
            queues[queue].waiting.add(event)
        }

        /// Drops the oldest waiting event of a queue. Returns false if there is none, or if it is in the group to keep.
        private mutating func dropOldest(of queue: Int, keeping group: Int) -> Bool {
            guard let entry = waiting.removeFirst(of: queue, unlessIn: group) else { return false }
            forget(entry)
            queues[queue].losses.add(1, .noRoom)
            return true
        }

        private mutating func forget(_ entry: BufferedEvent) {
            queues[entry.queue].waiting.subtract(entry.event)
            bytes -= entry.size
        }

        // MARK: Committing

        /// Moves everything that waits into a batch. Another one must not be in flight.
        package mutating func take() -> Batch {
            var removals: [Int: Set<Int64>] = [:]
            for index in queues.indices {
                (queues[index].inFlight, queues[index].waiting) = (queues[index].waiting, .init())
                if !queues[index].removals.isEmpty { removals[index] = queues[index].removals }
            }
            defer { waiting = BufferedEvents() }
            return Batch(additions: waiting, bytes: bytes, removals: removals, queueNames: queueNames)
        }

        /// The batch is in the file.
        package mutating func committed(_ batch: Batch, _ result: CommitResult) {
            for index in queues.indices { queues[index].inFlight = .init() }
            for (queue, tally) in result.stored { queues[queue].stored = tally }
            for (queue, count) in result.dropped { queues[queue].losses.add(count, .noRoom) }
            for (queue, ids) in batch.removals { queues[queue].removals.subtract(ids) }
            bytes -= batch.bytes
            for (entry, id) in zip(batch.additions, result.ids) {
                guard entry.id <= highestExposedID else { break }
                if let id { moved[entry.id] = id }
            }
        }

        /// The batch could not be written: its events wait again, before those that were added in the meantime. Drops
        /// the oldest ones if all of them exceed the limits.
        package mutating func restore(_ batch: Batch, keeping group: Int) {
            var restored = batch.additions
            restored.append(contentsOf: waiting)
            waiting = restored
            for index in queues.indices {
                queues[index].waiting += queues[index].inFlight
                queues[index].inFlight = .init()
                guard options.overflow == .dropOldest else { continue }
                while queues[index].isOverfull(options), dropOldest(of: index, keeping: group) {}
            }
        }

        // MARK: Reading and removing

        /// Records the contents of a queue in the file, and how many damaged events were found there.
        package mutating func counted(_ tally: JournalQueue.Tally, damaged: Int = 0, in queue: Int) {
            queues[queue].stored = tally
            queues[queue].losses.add(damaged, .damaged)
        }

        /// Counts events that were lost with a damaged file, by the names of their queues. Leaves unknown queues.
        mutating func lost(_ counts: inout [String: Int]) {
            for (index, name) in queueNames.enumerated() where !counts.isEmpty {
                if let count = counts.removeValue(forKey: name) { queues[index].losses.add(count, .damaged) }
            }
        }

        /// A queue is full, unless another process has removed events.
        mutating func markOutdated(_ queue: Int) { queues[queue].isOutdated = true }

        /// Returns the queues whose totals have to be read again, once.
        mutating func takeOutdatedQueues() -> [Int] {
            defer { for index in queues.indices { queues[index].isOutdated = false } }
            return queues.indices.filter { queues[$0].isOutdated }
        }

        /// The oldest waiting events after an id, for a delivery.
        package mutating func oldest(_ count: Int, after last: Int64 = .min, of queue: Int) -> [StoredEvent] {
            guard count > 0 else { return [] }
            var found: [StoredEvent] = []
            for entry in waiting where entry.queue == queue && entry.id > last {
                found.append(StoredEvent(id: entry.id, event: entry.event))
                highestExposedID = max(highestExposedID, entry.id)
                if found.count == count { break }
            }
            return found
        }

        /// Removes waiting events. Returns the ids of the others in the file. No batch may be in flight.
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
            while let first = waiting.first, first.queue == queue, inMemory.remove(first.id) != nil {
                waiting.removeFirst()
                forget(first)
            }
            guard !inMemory.isEmpty else { return inFile }
            for entry in waiting.removeAll(where: { $0.queue == queue && inMemory.contains($0.id) }) { forget(entry) }
            return inFile
        }

        /// Events could not be removed from the file: the next batch contains their removal.
        mutating func removalFailed(_ ids: [Int64], of queue: Int) { queues[queue].removals.formUnion(ids) }
    }
#endif
