#if SQLite
    /// The contents of one transaction.
    package struct CommitBatch: Sendable {
        package let events: PendingEvents.Batch
        let profiles: PendingProfiles.Batch
        package let group: ClosedGroup
        var number: Int { group.number }
    }

    /// The result of a transaction.
    package struct CommitResult: Sendable {
        /// The contents of the queues that it changed.
        package var stored: [Int: JournalQueue.Tally] = [:]
        /// The ids of the events; nil for refused ones.
        package var ids: [Int64?] = []
        /// The indices of the refused events in the group.
        package var refused: Set<Int> = []
        /// How many events of each queue were dropped to make room.
        package var dropped: [Int: Int] = [:]
        /// The latest use of a user; nil if none was used.
        var latestUse: Int64?

        package init() {}
    }

    extension JournalQueue.Tally {
        init(_ totals: Totals) { self.init(count: Int(totals.count), bytes: Int(totals.bytes)) }
    }
#endif
