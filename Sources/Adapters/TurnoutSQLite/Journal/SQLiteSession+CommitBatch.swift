#if SQLite
    import TurnoutClient

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
