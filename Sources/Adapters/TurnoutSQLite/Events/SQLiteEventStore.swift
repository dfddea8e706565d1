public import TurnoutClient

/// Stores events in a ``SQLiteStorage`` until they are delivered, so they survive the process.
///
/// Several stores, clients and processes may share a queue; only one of them delivers at a time.
///
/// While the file cannot be written, for example because the disk is full or another process has locked the file,
/// events stay in memory, within the same limits and ``SQLiteOptions/maximumBufferedBytes``. They are delivered
/// from there, and move to the file when it can be written again.
public final class SQLiteEventStore: EventStore {
    let journal: Journal
    let queue: Int
    let name: String
    private let delivery: DeliveryLock

    init(_ journal: Journal, name: String, directory: String?) {
        self.journal = journal
        self.name = name
        queue = journal.queue(name)
        delivery = DeliveryLock(directory: directory, queue: name, notices: journal.database.notices)
    }

    /// Adds an event at the end; O(1). ``SQLiteOptions/durability`` decides when it is in the file.
    ///
    /// - Throws: ``/TurnoutClient/EventStoreError/full``, or ``/TurnoutClient/EventStoreError/notDurable`` if it
    ///   should be in the file when the call returns and is only in memory.
    public func append(_ event: OutgoingEvent) throws { try journal.append(event, to: queue) }

    /// Adds events at the end, in one transaction, until the store is full; O(n).
    public func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
        journal.append(contentsOf: events, to: queue)
    }

    /// Adds events at the end, in one transaction with those of other tasks, and waits until they are in the file.
    /// No thread waits meanwhile. With ``SQLiteOptions/Durability-swift.enum/soon(within:)`` it does not wait.
    public func appendDurably(_ events: [OutgoingEvent]) async -> [Int: any Error] {
        guard waitsForDurability else { return append(contentsOf: events) }
        return await journal.appendDurably(events, to: queue)
    }

    /// True with ``SQLiteOptions/Durability-swift.enum/beforeReturning``.
    public var waitsForDurability: Bool { journal.waitsForDurability }

    /// Whether events are stored in a file; false if it could not be opened and everything is in memory.
    public var isDurable: Bool { journal.database.isDurable }

    /// The oldest events. Damaged ones are moved aside and counted.
    ///
    /// - Throws: ``SQLiteError`` if they could not be read.
    public func oldest(_ count: Int) throws -> [StoredEvent] { try oldest(count, after: .min) }

    /// The oldest events after an id. Damaged ones are moved aside and counted.
    ///
    /// - Throws: ``SQLiteError`` if they could not be read.
    public func oldest(_ count: Int, after id: Int64) throws -> [StoredEvent] {
        guard count > 0 else { return [] }
        return try journal.oldest(count, after: id, of: queue)
    }

    /// Removes events. If the removal cannot be written, this process repeats it later.
    public func remove(_ ids: [Int64]) throws { journal.remove(ids, from: queue, rejecting: false) }

    /// Moves events to ``rejected``, which holds at most ``SQLiteOptions/maximumRejected``.
    public func reject(_ ids: [Int64]) throws { journal.remove(ids, from: queue, rejecting: true) }

    /// The number of events, including those of other processes as of the last time this store wrote or read; O(1).
    public var count: Int {
        journal.startCleanAfterFork()
        return journal.state.withLock { $0.queues[queue].count }
    }

    /// Events that their receiver refused, oldest first.
    public var rejected: [StoredEvent] {
        get throws {
            defer { journal.log() }
            return try journal.database.write { try $0.rejected(of: try $0.totals(name)) }
        }
    }

    /// Claims delivery of this queue. Returns false if another store, client or process is delivering it; a process
    /// that ends releases its claim.
    public func beginDelivery() -> Bool {
        defer { journal.log() }
        return delivery.take()
    }

    /// Releases the claim.
    public func endDelivery() { delivery.give() }

    /// Writes all buffered additions, including those that could not be written before.
    ///
    /// - Throws: ``SQLiteError`` if they could not be written.
    public func synchronize() throws {
        if let error = journal.commit(evenIfPausing: true) { throw error }
    }

    /// Dropped and damaged events that this process has counted.
    public var losses: EventLosses { journal.state.withLock { $0.queues[queue].losses } }
}
