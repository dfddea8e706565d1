import TurnoutSQLite

/// The tables of lists and devices, through a connection.
final class SegmentTables {
    let connection: SQLiteConnection
    private(set) var log: WriteAheadLog
    private var hasDeletedIDs = false

    /// Creates a file, which has its tables or does not exist: so an empty one was emptied.
    static func create(_ file: SegmentStoreFile, in directory: String) throws {
        let path = directory + "/" + file.name
        let new = path + ".new"
        for ending in ["-journal", "-wal", "-shm"] { SystemCall.remove(new + ending) }
        _ = try SegmentFile.create(new)
        let connection = try SQLiteConnection(path: new)
        try connection.run("BEGIN IMMEDIATE; " + file.tables + "PRAGMA user_version = \(file.version); COMMIT")
        try SystemCall.move(new, to: path)
        SystemCall.synchronizeNames(in: directory)
    }

    init(_ file: SegmentStoreFile, _ path: String, _ survives: EventLogOptions.Survival) throws {
        guard SystemCall.size(of: path) > 0 else { throw Self.unusable("the file is empty", path) }
        connection = try SQLiteConnection(path: path)
        log = WriteAheadLog(of: path)
        connection.wait(milliseconds: 5_000)
        try connection.run(
            "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON; "
                + "PRAGMA journal_mode = WAL; \(survives.pragma); PRAGMA journal_size_limit = 67108864")
        var found = try connection.number("PRAGMA user_version")
        // Reading has created it.
        log = WriteAheadLog(of: path)
        guard found <= file.version else { throw SQLiteError.newer(found, than: file.version, file: path) }
        if (1..<file.version).contains(found) {
            try connection.run("BEGIN IMMEDIATE; " + file.upgrade + "PRAGMA user_version = \(file.version); COMMIT")
            found = file.version
        }
        let known = try connection.number(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (\(file.names))")
        guard found == file.version, known == 2 else {
            throw Self.unusable("the file lacks the tables for \(file.content)", path)
        }
    }

    /// Opens a file of a server, which may be running, to read it.
    init(reading file: SegmentStoreFile, _ path: String) throws {
        connection = try SQLiteConnection(reading: path)
        log = WriteAheadLog(of: path)
        connection.wait(milliseconds: 5_000)
        let found = try connection.number("PRAGMA user_version")
        guard found <= file.version else { throw SQLiteError.newer(found, than: file.version, file: path) }
    }

    private static func unusable(_ problem: String, _ path: String) -> SQLiteError {
        SQLiteError(
            code: -2,
            message: problem + ", so it was emptied or replaced; restore a copy, or stop the server and delete the "
                + "file to begin without content", file: path)
    }

    /// The file's log if the file was moved, deleted or emptied since it was opened; nil if it was not.
    var replacedLog: WriteAheadLog? { connection.hasMoved || connection.fileSize == 0 ? log : nil }

    /// Ends a transaction without its changes, if there is one.
    func rollBack() {
        if connection.isInTransaction { try? connection.run("ROLLBACK") }
    }

    /// Remembers that rows with ids of users were deleted, and returns how many.
    @discardableResult
    func recordDeletion(of count: Int) -> Int {
        if count > 0 { hasDeletedIDs = true }
        return count
    }

    /// Whether ids were deleted since the last call.
    func takeDeletions() -> Bool {
        defer { hasDeletedIDs = false }
        return hasDeletedIDs
    }
}
