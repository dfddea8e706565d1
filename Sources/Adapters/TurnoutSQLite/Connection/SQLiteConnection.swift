#if SQLite
    import CSQLite

    /// A connection to a file, the only place that calls SQLite. Whoever shares one puts it behind a lock.
    package final class SQLiteConnection {
        private let handle: OpaquePointer
        /// The file's path.
        package let path: String
        private var statements: [String: Statement] = [:]
        /// How many pages were in the log after the last commit.
        private(set) var logPages = 0

        /// Opens a file that exists; nil: a new database in memory.
        package init(path: String?) throws(SQLiteError) {
            var handle: OpaquePointer?
            // No mutex: the lock around this object does the same.
            var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            if path == nil { flags |= SQLITE_OPEN_CREATE }
            let code = sqlite3_open_v2(path ?? ":memory:", &handle, flags, nil)
            guard let handle, code == SQLITE_OK else {
                let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
                sqlite3_close_v2(handle)
                throw SQLiteError(code: code, message: message, file: path ?? "memory")
            }
            self.handle = handle
            self.path = path ?? "memory"
        }

        deinit {
            for statement in statements.values { sqlite3_finalize(statement.handle) }
            sqlite3_close_v2(handle)
        }

        /// Has the log counted after each commit, instead of copied into the file when it is long.
        func countLog() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            sqlite3_wal_hook(
                handle,
                { context, _, _, pages in
                    if let context {
                        Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
                    }
                    return SQLITE_OK
                }, context)
        }

        /// How long statements wait for other connections, in milliseconds.
        package func wait(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

        /// Runs statements that give no rows and are used once.
        package func run(_ sql: String) throws(SQLiteError) {
            let code = sqlite3_exec(handle, sql, nil, nil, nil)
            if code != SQLITE_OK { throw error(code) }
        }

        /// A statement, prepared once for each text.
        package func statement(_ sql: String) throws(SQLiteError) -> Statement {
            if let statement = statements[sql] { return statement }
            var handle: OpaquePointer?
            let code = sqlite3_prepare_v3(self.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
            guard let handle, code == SQLITE_OK else { throw error(code) }
            let statement = Statement(handle: handle, connection: self)
            statements[sql] = statement
            return statement
        }

        /// Whether the file was moved or deleted since it was opened.
        package var hasMoved: Bool {
            var moved: Int32 = 0
            let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
            return code == SQLITE_OK && moved != 0
        }

        /// Whether a transaction is open.
        package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

        /// How many rows the last statement changed.
        package var changes: Int { Int(sqlite3_changes(handle)) }

        fileprivate func error(_ code: Int32) -> SQLiteError {
            SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), file: path)
        }
    }

    /// A prepared statement. Parameters count from 1, columns from 0.
    package struct Statement {
        fileprivate let handle: OpaquePointer
        fileprivate unowned let connection: SQLiteConnection

        /// SQLite copies what it is given before the call returns.
        private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

        /// Sets a parameter to a number, or to nothing.
        package func bind(_ parameter: Int32, _ value: Int64?) {
            guard let value else {
                sqlite3_bind_null(handle, parameter)
                return
            }
            sqlite3_bind_int64(handle, parameter, value)
        }

        /// Sets a parameter to a text in UTF-8, which may contain NUL, or to nothing.
        package func bind(_ parameter: Int32, _ value: String?) {
            guard var value else {
                sqlite3_bind_null(handle, parameter)
                return
            }
            _ = value.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) {
                    // An empty text may have no address, which would mean nothing.
                    $0.isEmpty
                        ? sqlite3_bind_text(handle, parameter, "", 0, Self.copied)
                        : sqlite3_bind_text(handle, parameter, $0.baseAddress, Int32($0.count), Self.copied)
                }
            }
        }

        /// Sets a parameter to bytes.
        package func bind(_ parameter: Int32, _ value: [UInt8]) {
            _ = value.withUnsafeBytes {
                $0.isEmpty
                    ? sqlite3_bind_zeroblob(handle, parameter, 0)
                    : sqlite3_bind_blob(handle, parameter, $0.baseAddress, Int32($0.count), Self.copied)
            }
        }

        /// Goes to the next row. Without one the statement is ready for its next use, and so it is after an error.
        package func step() throws(SQLiteError) -> Bool {
            let code = sqlite3_step(handle)
            if code == SQLITE_ROW { return true }
            guard code == SQLITE_DONE else {
                let error = connection.error(code)
                reset()
                throw error
            }
            reset()
            return false
        }

        /// Runs a statement whose rows, if any, do not matter.
        package func run() throws(SQLiteError) {
            while try step() {}
        }

        /// Ends the use of the statement before its last row.
        package func reset() { sqlite3_reset(handle) }

        /// A column's number.
        package func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

        /// Whether a column has nothing.
        package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

        /// A column's bytes.
        package func bytes(_ column: Int32) -> [UInt8] {
            let start = sqlite3_column_blob(handle, column)
            return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
        }

        /// A column's text. What is not UTF-8 in it is replaced.
        package func text(_ column: Int32) -> String {
            guard let start = sqlite3_column_text(handle, column) else { return "" }
            let count = Int(sqlite3_column_bytes(handle, column))
            return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }

        /// A column's text, or nil: it has nothing.
        package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    }
#endif
