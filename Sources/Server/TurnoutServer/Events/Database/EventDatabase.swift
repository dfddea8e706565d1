#if SQLite
    package import TurnoutClient
    package import TurnoutSQLite

    /// Processed events in `events.sqlite` in a folder.
    ///
    /// A damaged file is moved aside, and a new one is built from the bodies that the log still has.
    package final class EventDatabase: ProcessedEvents {
        let file: EventDatabaseFile
        private let maximumSize: Int64?
        private let log: any Log
        private let session = Locked<EventWriter?>(nil)
        private let changes = Locked<WriteAheadLog?>(nil)
        /// Reads while the other connection writes, which can take a second.
        private let reader = Locked<SQLiteConnection?>(nil)
        /// Held while users are forgotten: others must not delete what was found.
        let forgetting = Locked(())

        /// Creates the database; the file is opened when it is first used.
        ///
        /// - Parameters:
        ///   - directory: The folder, created if necessary.
        ///   - maximumSize: The maximum size of the file in bytes, at least 512 KiB. When it is reached, events stay in
        ///     the log. Default: nil, no limit.
        ///   - log: Receives messages about damage.
        package init(directory: String, maximumSize: Int64? = nil, log: any Log) {
            file = EventDatabaseFile(directory: directory)
            self.maximumSize = maximumSize
            self.log = log
        }

        package func offset() throws -> Int64 { try use { try $0.number("offset") ?? 0 } }

        package func write(_ page: ProcessedPage) throws -> ProcessedCounts {
            try use { writer in try writer.transaction { try writer.write(page) } }
        }

        package func quarantined(_ isWanted: (String) -> Bool) throws -> [EventLogRecord] {
            try use { try $0.quarantined(isWanted) }
        }

        package func outcomes(_ selection: RuleOutcomes, _ body: (RuleOutcome) -> Void) throws {
            // The writer creates the file and its tables.
            try use { _ in }
            // A connection of its own: this takes longer than others may wait.
            try OutcomeReader(file.readWhileWriting()).forEach(selection, body)
        }

        package func expire(_ retention: EventRetention, now: Int64) throws -> Int {
            var deleted = 0
            while true {
                let step = try use { writer in try writer.transaction { try writer.expire(retention, now: now) } }
                deleted += step.deleted
                if step.isLast { return deleted }
            }
        }

        /// Calls a function with a connection for other tables of the same server, such as segments. One at a time.
        package func connection<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
            try use { try body($0.connection) }
        }

        /// Calls a function with a connection that only reads, beside the one that writes. One at a time.
        func reading<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
            try reader.withLock { reader in
                do {
                    if reader?.hasMoved == true { reader = nil }
                    // The writer creates the file.
                    if reader == nil { try use { _ in } }
                    let connection = try reader ?? file.readWhileWriting()
                    reader = connection
                    return try body(connection)
                } catch {
                    reader = nil
                    throw error
                }
            }
        }

        /// Uses the connection. After damage the file is replaced, and the call repeated once.
        func use<Value: Sendable>(_ body: (EventWriter) throws -> Value) throws -> Value {
            do { return try once(body) } catch let error as SQLiteError where error.isDamage {
                try replace(because: error)
                return try once(body)
            }
        }

        private func once<Value: Sendable>(_ body: (EventWriter) throws -> Value) throws -> Value {
            try session.withLock { session in
                do {
                    if session?.connection.hasMoved == true { session = nil }
                    if session == nil { try discardChanges() }
                    if let path = session?.connection.emptiedPath {
                        throw SQLiteError(code: 11, message: "the file was emptied", file: path)
                    }
                    let writer = try session ?? EventWriter(file.open(maximumSize: maximumSize))
                    if session == nil { changes.withLock { $0 = WriteAheadLog(of: file.path) } }
                    session = writer
                    return try body(writer)
                } catch {
                    // The remembered state of the tables may have been rolled back.
                    session = nil
                    throw error
                }
            }
        }

        /// Moves the log of a file that was replaced aside, even if the connection had failed before.
        private func discardChanges() throws {
            try changes.withLock { changes in
                guard let last = changes, last.hasLostDatabase else { return }
                try last.moveAside()
                changes = nil
            }
        }

        private func replace(because error: SQLiteError) throws {
            let name = try session.withLock { session in
                session = nil
                return try file.moveAside()
            }
            log(
                .error,
                "events: \(error); the file is kept as \(name), and a new one is built from the requests in the log of "
                    + "events; older events are in the damaged file only")
        }
    }

    extension SQLiteConnection {
        /// The path if the file, which had tables when it was opened, is empty.
        fileprivate var emptiedPath: String? { fileSize == 0 ? path : nil }
    }
#endif
