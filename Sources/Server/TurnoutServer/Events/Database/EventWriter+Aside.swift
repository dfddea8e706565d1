#if SQLite
    import TurnoutSQLite

    // Rejected parts, quarantine, and the end of events.
    extension EventWriter {
        /// The bytes of a rejected part that are kept.
        private static var keptContent: Int { 4_096 }

        func write(_ part: RejectedPart, of rows: EventRows) throws {
            let statement = try connection.statement(
                "INSERT INTO rejected(received, place, project, reason, content) VALUES(?, ?, ?, ?, ?)")
            statement.bind(1, rows.receivedAt)
            statement.bind(2, rows.offset + Int64(part.start))
            rows.bind(rows.projectID, to: 3, of: statement)
            statement.bind(4, part.reason.rawValue)
            let end = min(rows.body.count, part.start + min(part.count, Self.keptContent))
            statement.bind(5, [UInt8](rows.body[min(part.start, end)..<end]))
            try statement.run()
        }

        /// Moves bodies to quarantine, and removes the released ones.
        func quarantine(_ page: ProcessedPage, _ counts: inout ProcessedCounts) throws {
            for rows in page.unknown {
                let statement = try connection.statement(
                    "INSERT OR IGNORE INTO quarantine(place, received, project, body) VALUES(?, ?, ?, ?)")
                statement.bind(1, rows.offset)
                statement.bind(2, rows.receivedAt)
                rows.bind(rows.projectID, to: 3, of: statement)
                statement.bind(4, rows.body)
                try statement.run()
                counts.quarantined += 1
            }
            for offset in page.released {
                let statement = try connection.statement("DELETE FROM quarantine WHERE place = ?")
                statement.bind(1, offset)
                try statement.run()
            }
        }

        func quarantined(_ isWanted: (String) -> Bool) throws -> [EventLogRecord] {
            let statement = try connection.statement("SELECT place, received, project, body FROM quarantine")
            defer { statement.reset() }
            var records: [EventLogRecord] = []
            while try statement.step() {
                guard isWanted(statement.text(2)) else { continue }
                records.append(
                    EventLogRecord(
                        offset: statement.int(0), receivedAt: statement.int(1), body: statement.bytes(3)))
            }
            return records
        }

        // MARK: Retention

        /// The rows that one transaction deletes.
        private static var stepSize: Int64 { 20_000 }

        /// Deletes one batch of expired rows.
        ///
        /// - Returns: The number of deleted events, and whether no expired rows are left.
        func expire(_ retention: EventRetention, now: Int64) throws -> (deleted: Int, isLast: Bool) {
            let day: Int64 = 86_400_000
            let limit = now - Int64(retention.days) * day
            var deleted = 0
            for table in EventSchema.eventTables { deleted += try expire(table, before: limit) }
            guard deleted == 0 else { return (deleted, false) }
            for table in ["visitors", "attributes"] {
                try delete("DELETE FROM \(table) WHERE last < ?", limit)
            }
            try dropDays(before: (now - Int64(retention.duplicateDays) * day) / day)
            try delete("DELETE FROM seen_0 WHERE received < ?", now - Int64(retention.duplicateDays) * day)
            let aside = now - Int64(min(retention.asideDays, retention.days)) * day
            try delete("DELETE FROM rejected WHERE received < ?", aside)
            try delete(
                "DELETE FROM rejected WHERE id <= (SELECT max(id) FROM rejected) - ?", Int64(retention.maximumRejected))
            try delete("DELETE FROM quarantine WHERE received < ?", aside)
            try delete(
                """
                DELETE FROM quarantine WHERE place IN (SELECT place FROM (SELECT place,
                    sum(length(body)) OVER (ORDER BY place DESC) AS size FROM quarantine) WHERE size > ?)
                """, Int64(retention.maximumQuarantine))
            return (0, true)
        }

        /// Deletes the oldest rows of a table. Rows are in the order in which they were processed, so the first one
        /// tells whether there are any.
        private func expire(_ table: String, before limit: Int64) throws -> Int {
            let first = try connection.statement("SELECT id, received FROM \(table) ORDER BY id LIMIT 1")
            guard try first.step() else { return 0 }
            let (id, received) = (first.int(0), first.int(1))
            first.reset()
            guard received < limit else { return 0 }
            let statement = try connection.statement("DELETE FROM \(table) WHERE id < ? AND received < ?")
            statement.bind(1, id + Self.stepSize)
            statement.bind(2, limit)
            try statement.run()
            return connection.changes
        }

        private func delete(_ sql: String, _ limit: Int64) throws {
            let statement = try connection.statement(sql)
            statement.bind(1, limit)
            try statement.run()
        }

        /// Drops the tables by which duplicates of earlier days are found.
        private func dropDays(before day: Int64) throws {
            let statement = try connection.statement("SELECT name FROM sqlite_master WHERE name GLOB 'seen_[1-9]*'")
            var names: [String] = []
            while try statement.step() { names.append(statement.text(0)) }
            for name in names where Int64(name.dropFirst(5)).map({ $0 < day }) == true {
                try connection.run("DROP TABLE \(name)")
                known.days.remove(Int64(name.dropFirst(5)) ?? 0)
            }
        }
    }
#endif
