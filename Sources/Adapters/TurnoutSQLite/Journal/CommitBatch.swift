#if SQLite
    import TurnoutClient

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

    extension SQLiteSession {
        /// Writes a batch. Must be called in a transaction.
        func store(_ batch: CommitBatch, _ options: SQLiteOptions) throws -> CommitResult {
            var result = CommitResult()
            var queues: [Int: Totals] = [:]
            try checkGroups()
            for (queue, ids) in batch.events.removals {
                var totals = try self.totals(batch.events.queueNames[queue])
                try remove(Array(ids), from: &totals)
                queues[queue] = totals
            }
            for entry in batch.events.additions {
                var totals = try queues[entry.queue] ?? self.totals(batch.events.queueNames[entry.queue])
                let hasRoom =
                    totals.count < options.maximumEvents
                    && Int(totals.bytes) + entry.event.visitor.count <= options.maximumBytes
                if let place = entry.place, place.group == batch.number, !hasRoom, options.overflow == .refuseNewest {
                    result.refused.insert(place.index)
                    result.ids.append(nil)
                } else {
                    result.ids.append(try insert(entry.event, into: &totals))
                }
                queues[entry.queue] = totals
            }
            for (queue, var totals) in queues {
                if options.overflow == .dropOldest { result.dropped[queue] = try trim(&totals, to: options) }
                try save(totals)
                result.stored[queue] = .init(totals)
            }
            result.latestUse = try store(batch.profiles, limit: options.maximumUsers)
            return result
        }

        private func store(_ profiles: PendingProfiles.Batch, limit: Int) throws -> Int64? {
            guard !profiles.isEmpty else { return nil }
            var users = try totals(Totals.users)
            for user in profiles.used { try use(user, in: &users) }
            for change in profiles.changes { try save(change, in: &users) }
            try trim(&users, to: limit)
            try save(users)
            return users.next - 1
        }
    }
#endif
