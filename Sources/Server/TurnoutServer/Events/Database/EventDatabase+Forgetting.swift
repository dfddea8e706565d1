#if SQLite
    import TurnoutClient
    import TurnoutSQLite

    extension EventDatabase {
        package func forget(_ users: [String]) throws -> Int {
            try forgetting.withLock { _ in try forgetAlone(users) }
        }

        private func forgetAlone(_ users: [String]) throws -> Int {
            // The writer creates the file and its tables.
            try use { _ in }
            // A connection of its own: all events are read, and others write meanwhile.
            let rows = try ForgottenRows(users, file.readWhileWriting())
            let deleted = try use { writer in try writer.transaction { try writer.forget(users, rows) } }
            // Earlier versions of pages are in the log of changes until it is emptied.
            try use { try $0.connection.emptyLog() }
            return deleted
        }
    }

    extension EventWriter {
        /// Deletes visitors with their events, and their requests that are set aside.
        ///
        /// - Returns: The number of deleted events.
        func forget(_ users: [String], _ rows: ForgottenRows) throws -> Int {
            var rows = rows
            try rows.update(users, connection)
            var deleted = 0
            for (table, found) in rows.found {
                let statement = try connection.statement("DELETE FROM \(table) WHERE id = ? AND visitor = ?")
                for (id, visitor) in found.rows {
                    statement.bind(1, id)
                    statement.bind(2, visitor)
                    try statement.run()
                    deleted += connection.changes
                }
            }
            try delete(rows.visitors, from: "visitors")
            try delete(rows.attributes, from: "attributes")
            known.visitors.subtract(rows.visitors)
            known.attributes.subtract(rows.attributes)
            try forgetQuarantined(EventErasure(of: users))
            return deleted
        }

        private func delete(_ ids: Set<Int64>, from table: String) throws {
            let statement = try connection.statement("DELETE FROM \(table) WHERE id = ?")
            for id in ids {
                statement.bind(1, id)
                try statement.run()
            }
        }

        /// Deletes all rejected parts, which do not identify their user, and users from the bodies in quarantine.
        private func forgetQuarantined(_ erasure: EventErasure) throws {
            try connection.statement("DELETE FROM rejected").run()
            let update = try connection.statement("UPDATE quarantine SET body = ? WHERE place = ?")
            let delete = try connection.statement("DELETE FROM quarantine WHERE place = ?")
            for record in try quarantined({ _ in true }) {
                switch erasure.outcome(for: record.body) {
                case .unchanged: continue
                case .changed(let body):
                    update.bind(1, body)
                    update.bind(2, record.offset)
                    try update.run()
                case .nothing:
                    delete.bind(1, record.offset)
                    try delete.run()
                }
            }
        }
    }
#endif
