import CSQLite
import LibC
import Synchronization
import TurnoutClient

/// A connection to a file, the only code that calls SQLite. A shared connection needs a lock.
package final class SQLiteConnection {
    private let handle: OpaquePointer
    package let path: String
    private var statements: [String: Statement] = [:]
    /// How many pages were in the log after the last commit.
    private(set) var logPages = 0

    private let generation = Fork.generation
    /// The generation of the process that first opened a file; -1 if none did. Shared by all connections, because
    /// SQLite cannot open files in a forked child if the parent had some open.
    private static let firstGeneration = Atomic(-1)

    /// Whether it was opened before this process was forked. SQLite cannot use it, or another connection to the
    /// same file, in the child: the locks that it assumes are the parent's.
    var isInherited: Bool { generation != Fork.generation }

    /// Opens an existing file, or a new database in memory if nil.
    package convenience init(path: String?) throws(SQLiteError) {
        let flags = SQLITE_OPEN_READWRITE | (path == nil ? SQLITE_OPEN_CREATE : 0)
        try self.init(path ?? ":memory:", flags, path: path)
    }

    /// Opens a file for reading only: no file is created or changed.
    ///
    /// - Throws: ``SQLiteError`` if it cannot be opened.
    package convenience init(reading path: String) throws(SQLiteError) {
        var address = "file:"
        for byte in path.utf8 {
            let isPlain = byte == 47 || byte == 46 || 48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte
            let escaped = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            address += isPlain ? String(Unicode.Scalar(byte)) : escaped
        }
        let (hasLog, hasIndex) = (access(path + "-wal", F_OK) == 0, access(path + "-shm", F_OK) == 0)
        // Nothing writes unless there is a log and its index. Without an index, SQLite has to build one, and does
        // so in memory if it may assume that nothing else has the file open.
        address += "?mode=ro&" + (!hasLog ? "immutable=1" : hasIndex ? "readonly_shm=1" : "vfs=unix-none")
        try self.init(address, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path: path)
        if hasLog, !hasIndex { try run("PRAGMA locking_mode = EXCLUSIVE") }
    }

    private init(_ name: String, _ flags: Int32, path: String?) throws(SQLiteError) {
        if let path, !Self.mayOpenFiles(in: generation) { throw .forked(file: path) }
        var handle: OpaquePointer?
        // No mutex: callers hold a lock around this object.
        let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let handle, code == SQLITE_OK else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: message, file: path ?? "memory")
        }
        self.handle = handle
        self.path = path ?? "memory"
    }

    private static func mayOpenFiles(in generation: Int) -> Bool {
        let (_, first) = firstGeneration.compareExchange(expected: -1, desired: generation, ordering: .relaxed)
        return first == -1 || first == generation
    }

    deinit {
        // Closing would write to the file, and release the parent's locks.
        guard !isInherited else { return }
        for statement in statements.values { sqlite3_finalize(statement.handle) }
        sqlite3_close_v2(handle)
    }

    /// Counts the pages of the log after each commit, and disables automatic checkpoints.
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

    /// Runs statements that return no rows and are used once.
    package func run(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// A prepared statement, cached by its SQL text.
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

    /// The size of the database file, without its log; nil if it is unknown, because there is no file or the system
    /// failed. An unknown size must not count as an empty file.
    package var fileSize: Int? {
        var size: sqlite3_int64 = 0
        guard let file = databaseFile, file.pointee.pMethods.pointee.xFileSize(file, &size) == SQLITE_OK
        else { return nil }
        return Int(size)
    }

    /// Reads raw bytes of the database file, without its log, through SQLite's own descriptor: closing another one
    /// would release the locks that SQLite has on the file in this process.
    ///
    /// - Returns: The number of bytes read.
    func readFile(at place: Int, into bytes: inout [UInt8]) -> Int {
        guard let file = databaseFile, let fileSize else { return 0 }
        let count = max(0, min(bytes.count, fileSize - place))
        let code = bytes.withUnsafeMutableBytes {
            file.pointee.pMethods.pointee.xRead(file, $0.baseAddress, Int32(count), sqlite3_int64(place))
        }
        return code == SQLITE_OK ? count : 0
    }

    private var databaseFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return code == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
    }

    fileprivate func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), file: path)
    }
}

/// A prepared statement. Parameters count from 1, columns from 0.
package struct Statement {
    fileprivate let handle: OpaquePointer
    fileprivate unowned let connection: SQLiteConnection

    /// Makes SQLite copy the value before the call returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// Sets a parameter to a number, or to NULL.
    package func bind(_ parameter: Int32, _ value: Int64?) {
        guard let value else {
            sqlite3_bind_null(handle, parameter)
            return
        }
        sqlite3_bind_int64(handle, parameter, value)
    }

    /// Sets a parameter to UTF-8 text, which may contain NUL characters, or to NULL.
    package func bind(_ parameter: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(handle, parameter)
            return
        }
        value.withUTF8 { bind(parameter, utf8: $0) }
    }

    /// Sets a parameter to UTF-8 text. SQLite does not check it.
    package func bind(_ parameter: Int32, utf8 text: UnsafeBufferPointer<UInt8>) {
        text.withMemoryRebound(to: CChar.self) {
            // An empty text may have no address, which would bind NULL.
            _ =
                $0.isEmpty
                ? sqlite3_bind_text(handle, parameter, "", 0, Self.copied)
                : sqlite3_bind_text(handle, parameter, $0.baseAddress, Int32($0.count), Self.copied)
        }
    }

    /// Sets a parameter to a number.
    package func bind(_ parameter: Int32, real value: Double?) {
        guard let value else {
            sqlite3_bind_null(handle, parameter)
            return
        }
        sqlite3_bind_double(handle, parameter, value)
    }

    /// Sets a parameter to bytes.
    package func bind(_ parameter: Int32, blob value: UnsafeRawBufferPointer) {
        _ =
            value.isEmpty
            ? sqlite3_bind_zeroblob(handle, parameter, 0)
            : sqlite3_bind_blob(handle, parameter, value.baseAddress, Int32(value.count), Self.copied)
    }

    /// Sets a parameter to bytes.
    package func bind(_ parameter: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bind(parameter, blob: $0) }
    }

    /// Sets a parameter to a column of a row.
    func bind(_ parameter: Int32, _ column: Int32, of row: Statement) {
        sqlite3_bind_value(handle, parameter, sqlite3_column_value(row.handle, column))
    }

    /// The types of a row's columns: i for integers, t for text in UTF-8, b for bytes, n for NULL, x for others.
    var types: String {
        let types = (0..<sqlite3_column_count(handle)).map { column -> Character in
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER: "i"
            case SQLITE_TEXT where String(validating: bytes(column), as: UTF8.self) != nil: "t"
            case SQLITE_BLOB: "b"
            case SQLITE_NULL: "n"
            default: "x"
            }
        }
        return String(types)
    }

    /// Advances to the next row. Resets the statement after the last row and after an error.
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

    /// Resets the statement before its last row.
    package func reset() { sqlite3_reset(handle) }

    package func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A column's number with a fraction.
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    package func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(handle, column)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// A column's text. Invalid UTF-8 is replaced.
    package func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A column's text, or nil if it is NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
}
