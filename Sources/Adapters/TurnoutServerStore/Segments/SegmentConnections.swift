#if SQLite
    import TurnoutClient
    import TurnoutServer
    import TurnoutSQLite

    /// A file of the data platform: a connection that writes, and one that reads meanwhile.
    final class SegmentConnections: Sendable {
        /// The file was replaced or emptied while it was open.
        private struct Changed: Error {}

        private let file: SegmentStoreFile
        private let path: String
        private let directory: String
        private let log: any Log
        private let writer = Locked<SegmentTables?>(nil)
        private let reader = Locked<SegmentTables?>(nil)
        private let state = Locked((hasOpened: false, mayRead: false))

        init(_ file: SegmentStoreFile, in directory: String, log: any Log) {
            self.file = file
            self.directory = directory
            self.log = log
            path = directory + "/" + file.name
        }

        /// Calls a function with the tables, in a transaction. One at a time.
        func writing<Value: Sendable>(_ body: (SegmentTables) throws -> Value) throws -> Value {
            try use(writer, isWriter: true, body)
        }

        /// Calls a function that only reads. Does not wait for a change, which takes seconds for a long list.
        func reading<Value: Sendable>(_ body: (SegmentTables) throws -> Value) throws -> Value {
            for _ in 0..<2 {
                if !state.withLock({ $0.mayRead }) {
                    // The writer creates the file, or opens another one.
                    try writing { _ in }
                    state.withLock { $0.mayRead = true }
                }
                do { return try use(reader, isWriter: false, body) } catch is Changed {
                    state.withLock { $0.mayRead = false }
                } catch let error as SQLiteError {
                    state.withLock { $0.mayRead = false }
                    throw error
                }
            }
            throw SQLiteError(code: -1, message: "the file is replaced again and again", file: path)
        }

        private func use<Value: Sendable>(
            _ session: borrowing Locked<SegmentTables?>, isWriter: Bool, _ body: (SegmentTables) throws -> Value
        ) throws -> Value {
            try session.withLock { session in
                do {
                    if let changes = session?.replacedLog {
                        session = nil
                        guard isWriter else { throw Changed() }
                        // Both are closed before the file is opened again.
                        reader.withLock { $0 = nil }
                        try changes.moveAside()
                        log(.warning, "segments: \(path) is another file than before; it is opened again")
                    }
                    let tables = try session ?? (isWriter ? open() : SegmentTables(file, path))
                    session = tables
                    try tables.run("BEGIN")
                    let value = try body(tables)
                    try tables.run("COMMIT")
                    return value
                } catch {
                    session?.rollBack()
                    if error is SQLiteError { session = nil }
                    throw error
                }
            }
        }

        /// Opens the file, and creates it if there never was one.
        private func open() throws -> SegmentTables {
            if !SystemCall.exists(path) {
                let isFirst = state.withLock { !$0.hasOpened }
                guard isFirst, !WriteAheadLog.exists(besides: path) else {
                    throw SQLiteError(
                        code: -1,
                        message: "the file is gone; restore a copy, or delete what is left of \(file.name)-wal, and "
                            + "restart the server to begin without \(file.content)", file: path)
                }
                try SystemCall.makeDirectory(directory)
                try SegmentTables.create(file, in: directory)
                log(.info, "segments: \(path) is new")
            }
            // The changes would be applied to a copy that takes the place of an emptied file.
            if SystemCall.size(of: path) == 0 { try WriteAheadLog(of: path).moveAside() }
            let tables = try SegmentTables(file, path)
            state.withLock { $0.hasOpened = true }
            return tables
        }
    }
#endif
