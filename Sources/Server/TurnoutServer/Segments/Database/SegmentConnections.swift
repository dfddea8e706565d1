import TurnoutClient
import TurnoutSQLite

/// A file of the data platform: a connection that writes, and one that reads meanwhile.
final class SegmentConnections: Sendable {
    /// The file was replaced or emptied while it was open.
    private struct Changed: Error {}

    private let file: SegmentStoreFile
    private let path: String
    private let directory: String
    private let survives: EventLogOptions.Survival
    private let onlyReads: Bool
    private let log: any Log
    private let writer = Locked<SegmentTables?>(nil)
    private let reader = Locked<SegmentTables?>(nil)
    private struct State {
        var hasOpened = false
        var isClosed = false
        /// Whether a connection that reads may open the file: the writer has opened it, and it is still the same.
        var mayRead = false
        /// The log of the file that was opened last. A connection that failed is gone, but not its log.
        var log: WriteAheadLog?
        /// Whether that log may contain ids that were deleted. At first, an earlier process may have left them.
        var mayHaveDeletedIDs = true
    }

    private let state = Locked(State())

    init(
        _ file: SegmentStoreFile, in directory: String, survives: EventLogOptions.Survival, onlyReads: Bool,
        log: any Log
    ) {
        self.file = file
        self.directory = directory
        self.survives = survives
        self.onlyReads = onlyReads
        self.log = log
        path = directory + "/" + file.name
    }

    /// Calls a function with the tables, in a transaction. One at a time.
    ///
    /// If ids were deleted, the log of changes is emptied, because it contains earlier versions of pages. If that
    /// fails, the next change tries again; there is one each minute.
    ///
    /// - Parameters:
    ///   - failsUnlessErased: Whether the log is emptied in any case, and a failure is an error; then the change
    ///     was made. Default: false.
    ///   - body: Changes the tables.
    /// - Returns: The value of the function.
    /// - Throws: The error of the function, of the file, or of emptying the log.
    func writing<Value: Sendable>(
        failsUnlessErased: Bool = false, _ body: (SegmentTables) throws -> Value
    ) throws -> Value {
        try use(writer, isWriter: true, afterwards: { try eraseDeletedIDs(in: $0, failsUnlessErased) }, body)
    }

    private func eraseDeletedIDs(in tables: SegmentTables, _ failsUnlessErased: Bool) throws {
        let isDue = state.withLock { state in
            if tables.takeDeletions() { state.mayHaveDeletedIDs = true }
            return state.mayHaveDeletedIDs
        }
        guard isDue || failsUnlessErased else { return }
        do { try tables.connection.emptyLog() } catch {
            guard !failsUnlessErased else { throw error }
            return log.failure(
                .warning,
                "segments: deleted ids stay in \(path)-wal for now; emptying it is tried again each minute", error)
        }
        state.withLock { $0.mayHaveDeletedIDs = false }
    }

    /// Calls a function that only reads. Does not wait for a change, which takes seconds for a long list.
    func reading<Value: Sendable>(_ body: (SegmentTables) throws -> Value) throws -> Value {
        if onlyReads { return try body(SegmentTables(reading: file, path)) }
        for _ in 0..<3 {
            if !state.withLock({ $0.mayRead }) {
                // The writer creates the file, or opens another one.
                try writing { _ in state.withLock { $0.mayRead = true } }
            }
            do { return try use(reader, isWriter: false, body) } catch is Changed {}
        }
        throw SQLiteError(code: -1, message: "the file keeps being replaced", file: path)
    }

    private func use<Value: Sendable>(
        _ session: borrowing Locked<SegmentTables?>, isWriter: Bool,
        afterwards: (SegmentTables) throws -> Void = { _ in }, _ body: (SegmentTables) throws -> Value
    ) throws -> Value {
        try session.withLock { session in
            do {
                if state.withLock({ $0.isClosed }) { throw CancellationError() }
                if let changes = session?.replacedLog {
                    session = nil
                    guard isWriter else { throw Changed() }
                    try discard(changes)
                }
                guard isWriter || state.withLock({ $0.mayRead }) else { throw Changed() }
                let tables = try session ?? (isWriter ? open() : SegmentTables(file, path, survives))
                session = tables
                try tables.connection.run("BEGIN")
                let value = try body(tables)
                try tables.connection.run("COMMIT")
                try afterwards(tables)
                return value
            } catch {
                session?.rollBack()
                // Otherwise the pages that were rolled back stay in the log, and the disk stays full.
                if isWriter, (error as? SQLiteError)?.isDiskFull == true { try? session?.connection.emptyLog() }
                if error is SQLiteError { session = nil }
                // Before another thread gets the session.
                if !isWriter, session == nil { state.withLock { $0.mayRead = false } }
                throw error
            }
        }
    }

    /// Moves the log of a missing file aside. The writer is closed.
    private func discard(_ changes: WriteAheadLog) throws {
        // Both are closed before the file is opened again.
        closeReader()
        try changes.moveAside()
        state.withLock { $0.log = nil }
        log(.warning, "segments: \(path) was replaced; reopening it")
    }

    /// Waits for calls in progress, and cancels further ones.
    func close() {
        writer.withLock { writer in
            writer = nil
            state.withLock { $0.isClosed = true }
        }
        closeReader()
    }

    private func closeReader() {
        reader.withLock { reader in
            reader = nil
            state.withLock { $0.mayRead = false }
        }
    }

    /// Opens the file, and creates it if there never was one.
    private func open() throws -> SegmentTables {
        // The file may have been replaced after the writer failed.
        if let last = state.withLock({ $0.log }), last.hasLostDatabase { try discard(last) }
        if !SystemCall.exists(path) {
            let isFirst = state.withLock { !$0.hasOpened }
            guard isFirst, !WriteAheadLog.exists(besides: path) else {
                // A copy that is restored would get its changes.
                closeReader()
                try WriteAheadLog(of: path).moveAside()
                throw SQLiteError(
                    code: -1,
                    message: "the file is gone, and the log of its last changes, if there is one, is kept as "
                        + "\(file.name)-wal.replaced; restore a copy, or delete that log and restart the server to "
                        + "begin without \(file.content)", file: path)
            }
            try SystemCall.makeDirectory(directory)
            try SegmentTables.create(file, in: directory)
            log(.info, "segments: \(path) is new")
        }
        // The changes would be applied to a copy that takes the place of an emptied file.
        if SystemCall.size(of: path) == 0 { try WriteAheadLog(of: path).moveAside() }
        let tables = try SegmentTables(file, path, survives)
        state.withLock { ($0.hasOpened, $0.log) = (true, tables.log) }
        return tables
    }
}
