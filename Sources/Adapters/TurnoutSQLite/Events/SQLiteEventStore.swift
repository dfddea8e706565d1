#if SQLite
    public import TurnoutClient

    /// Keeps events in a ``SQLiteStorage`` until they are delivered, so that they outlast the process.
    ///
    /// Several stores, clients and processes may share a queue; one of them delivers at a time.
    ///
    /// When the file cannot be written, because the disk is full for instance, events stay in memory, within the same
    /// limits, are delivered from there, and move to the file when that works again.
    public final class SQLiteEventStore: EventStore {
        let journal: Journal
        let queue: Int
        let name: String
        private let delivery: DeliveryLock

        init(_ journal: Journal, name: String, directory: String?) {
            self.journal = journal
            self.name = name
            queue = journal.queue(name)
            delivery = DeliveryLock(directory: directory, queue: name)
        }

        /// Adds an event at the end; O(1). When it is in the file is a matter of ``SQLiteOptions/durability``.
        ///
        /// - Throws: ``EventStoreError/full``, or ``EventStoreError/notDurable`` if it should be in the file now and
        ///   is only in memory.
        public func append(_ event: OutgoingEvent) throws { try journal.append(event, to: queue) }

        /// Adds events at the end, in one transaction as far as there is room; O(n).
        public func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
            journal.append(contentsOf: events, to: queue)
        }

        /// True with ``SQLiteOptions/Durability-swift.enum/beforeReturning``.
        public var waitsForDurability: Bool { journal.options.durability == .beforeReturning }

        /// The oldest events. Damaged ones among them are put aside and counted.
        ///
        /// - Throws: ``SQLiteError`` if they could not be read.
        public func oldest(_ count: Int) throws -> [StoredEvent] {
            guard count > 0 else { return [] }
            return try journal.oldest(count, of: queue)
        }

        /// Removes events. If that cannot be written, this process remembers it and tries again.
        public func remove(_ ids: [Int64]) throws { journal.remove(ids, from: queue, rejecting: false) }

        /// Puts events aside, where ``rejected`` has them, at most ``SQLiteOptions/maximumRejected``.
        public func reject(_ ids: [Int64]) throws { journal.remove(ids, from: queue, rejecting: true) }

        /// How many events there are: exactly as far as this process is concerned, and for others as of the last time
        /// this store wrote or read; O(1).
        public var count: Int { journal.buffer.withLock { $0.queues[queue].count } }

        /// Events that their receiver does not want, oldest first.
        public var rejected: [StoredEvent] {
            get throws {
                defer { journal.log() }
                return try journal.database.write { try $0.rejected(of: try $0.totals(name)) }
            }
        }

        /// Whether no other store, client or process delivers this queue's events now. If a process dies it does not
        /// any more.
        public func beginDelivery() -> Bool { delivery.take() }

        /// Lets others deliver.
        public func endDelivery() { delivery.give() }

        /// Writes everything that waits, also what could not be written before.
        ///
        /// - Throws: ``SQLiteError`` if it could not be written.
        public func synchronize() throws {
            if let error = journal.commit(evenIfPausing: true) { throw error }
        }

        /// Events that had to make room, and damaged ones, as far as this process noticed.
        public var losses: EventLosses { journal.buffer.withLock { $0.queues[queue].losses } }
    }
#endif
