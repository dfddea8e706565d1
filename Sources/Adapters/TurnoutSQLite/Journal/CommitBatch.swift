package import TurnoutClient

/// The contents of one transaction.
package struct CommitBatch: Sendable {
    package struct Queue: Sendable {
        let number: Int
        let name: String
        let limit: Int
        /// The ids of events to remove, and to set aside.
        package let removals: Set<Int64>
        let rejections: Set<Int64>
        package let additions: ArraySlice<StoredEvent>
    }

    package let queues: [Queue]
    /// Whether additions stay in memory: they may not fit although removals do.
    let onlyRemovals: Bool
    /// Callers wait for the events from this temporary id on. Only such events can be refused after they were
    /// added.
    let firstRefusable: Int64
    var changes: [ProfileChange] = []
    /// The ids of users whose use has to be recorded.
    var used: Set<Int64> = []
    /// The callers that wait for the transaction; nil if there are none.
    package var group: CommitGroup?
}

/// The result of a transaction.
package struct CommitResult: Sendable {
    package struct Queue: Sendable {
        /// The events in the file.
        let stored: JournalQueue.Tally
        /// The ids of the added events; that of a refused one is meaningless.
        let ids: [Int64]
        /// How many events were dropped to make room.
        let dropped: Int

        package init(stored: JournalQueue.Tally, ids: [Int64], dropped: Int = 0) {
            (self.stored, self.ids, self.dropped) = (stored, ids, dropped)
        }
    }

    /// In the order of the batch.
    package var queues: [Queue] = []
    /// The temporary ids of refused events.
    var refused: Set<Int64> = []
    /// The latest use of a user; nil if none was used.
    var latestUse: Int64?

    package init() {}
}

extension SQLiteSession {
    /// Writes a batch. Must be called in a transaction.
    func store(_ batch: CommitBatch, _ options: SQLiteOptions) throws -> CommitResult {
        var result = CommitResult()
        try checkGroups()
        for queue in batch.queues { try store(queue, batch.firstRefusable, options, &result) }
        guard !batch.changes.isEmpty || !batch.used.isEmpty else { return result }
        var users = try totals(Totals.users)
        for user in batch.used { try use(user, in: &users) }
        for change in batch.changes { try save(change, in: &users) }
        try trim(&users, to: options.maximumUsers)
        try save(users)
        result.latestUse = users.next - 1
        return result
    }

    private func store(
        _ queue: CommitBatch.Queue, _ firstRefusable: Int64, _ options: SQLiteOptions, _ result: inout CommitResult
    ) throws {
        var (options, ids, dropped) = (options, [Int64](), 0)
        options.maximumEvents = queue.limit
        var totals = try totals(queue.name)
        if !queue.removals.isEmpty { try remove(Array(queue.removals), from: &totals) }
        if !queue.rejections.isEmpty {
            let rejected = queue.rejections.sorted()
            try reject(rejected, of: &totals, damaged: false, keeping: options.maximumRejected)
        }
        ids.reserveCapacity(queue.additions.count)
        for entry in queue.additions {
            let hasRoom =
                totals.count < options.maximumEvents
                && Int(totals.bytes) + entry.event.visitor.count <= options.maximumBytes
            if !hasRoom, entry.id >= firstRefusable {
                result.refused.insert(entry.id)
                ids.append(0)
            } else {
                ids.append(try insert(entry.event, into: &totals))
            }
        }
        if options.overflow == .dropOldest { dropped = try trim(&totals, to: options) }
        try save(totals)
        result.queues.append(.init(stored: .init(totals), ids: ids, dropped: dropped))
    }
}
