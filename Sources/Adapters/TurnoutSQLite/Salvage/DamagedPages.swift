import LibC

/// A copy of a damaged file, in which SQLite reads each page as a table of its own, so that a damaged page hides no
/// other.
///
/// Its first page is that of a new file with two tables of one page each: one for rows with ids, one for rows
/// without and for entries of indexes. To read a page, its bytes replace one of these two. All other pages stay
/// where they are, because long rows continue there.
final class DamagedPages {
    private let path: String
    private let descriptor: Int32
    private let pageSize: Int
    private var pageCount = 0
    /// The counter in the header by which SQLite notices changes.
    private var changes: UInt8 = 1
    /// The number of unreadable rows in sequence after which a page is read from its other end.
    private static let failureLimit = 16

    /// Copies a file and its log.
    ///
    /// - Parameters:
    ///   - old: A connection to the file; nil if there is only a log.
    ///   - original: The file.
    /// - Throws: ``SQLiteError`` if the copy cannot be written.
    init(of old: SQLiteConnection?, in original: StorageFile) throws(SQLiteError) {
        path = original.copy.path
        try original.copy.create()
        var header = [UInt8](repeating: 0, count: 100)
        _ = old?.readFile(at: 0, into: &header)
        // These constants show whether the bytes before them are intact. Apple's library reserves 12 bytes a page.
        let isIntact = header[21...23].elementsEqual([64, 32, 32])
        pageSize = try Self.createTables(in: path, pageSize: isIntact ? Int(header[16]) << 8 | Int(header[17]) : 0)
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw original.failure("\(path) cannot be opened") }
        var first = page(1)
        if isIntact { first[20] = header[20] }
        // Where they differ, SQLite takes the page count from the size of the file.
        first.replaceSubrange(24...27, with: [0, 0, 0, 1])
        first.replaceSubrange(92...95, with: [0, 0, 0, 0])
        let size = old?.fileSize ?? 0
        for place in stride(from: pageSize, to: max(pageSize, size), by: pageSize) {
            var bytes = [UInt8](repeating: 0, count: min(pageSize, size - place))
            _ = old?.readFile(at: place, into: &bytes)
            try store(bytes, at: place)
        }
        try store(first, at: 0)
        try applyLog(original.path + "-wal")
        try store(first, at: 0)
        pageCount = max(3, (Int(lseek(descriptor, 0, SEEK_END)) + pageSize - 1) / pageSize)
        // The two tables of the first page are here. Each page stays the root of a table, so no other refers to it.
        for number in [2, 3] {
            try store(page(number), at: pageCount * pageSize)
            pageCount += 1
        }
    }

    deinit { close(descriptor) }

    /// Calls `visit` with each row that SQLite can read, with some more than once. Rows with ids have seven
    /// columns, the first of which is the id unless they have another key, and rows without have three.
    func scan(_ visit: (Statement) throws -> Void) throws {
        let connection = try SQLiteConnection(path: path)
        for number in 4...pageCount {
            let page = page(number)
            switch page[0] {
            case 13:
                try replace(2, with: page)
                try scan(connection, "SELECT coalesce(a, rowid), b, c, d, e, f, g FROM rows ORDER BY rowid", visit)
            case 2, 10:
                try replace(3, with: page)
                try scan(connection, "SELECT a, b, c FROM entries ORDER BY a", visit)
            // Pages above those with rows, parts of long rows, and damaged pages.
            default: continue
            }
        }
    }

    /// Visits the rows around unreadable ones, then those that can only be reached from the end.
    private func scan(_ connection: SQLiteConnection, _ sql: String, _ visit: (Statement) throws -> Void) throws {
        for order in ["ASC", "DESC"] {
            let row = try connection.statement("\(sql) \(order) LIMIT -1 OFFSET ?")
            defer { row.reset() }
            var (place, failures): (Int64, Int) = (0, 0)
            while failures < Self.failureLimit {
                row.bind(1, place)
                do {
                    while try row.step() {
                        try visit(row)
                        place += 1
                        failures = 0
                    }
                    return
                } catch let error as SQLiteError where error.file == path && error.isDamage {
                    place += 1
                    failures += 1
                }
            }
        }
    }

    // MARK: Copying

    /// Creates the two tables. Returns the size of the pages, which is that of new files unless another is valid.
    private static func createTables(in path: String, pageSize: Int) throws(SQLiteError) -> Int {
        let connection = try SQLiteConnection(path: path)
        // SQLite ignores an invalid size.
        try connection.run(
            """
            PRAGMA page_size = 8192; PRAGMA page_size = \(pageSize); CREATE TABLE rows(a, b, c, d, e, f, g);
            CREATE TABLE entries(a PRIMARY KEY, b, c) WITHOUT ROWID
            """)
        return Int(try connection.number("PRAGMA page_size"))
    }

    /// Copies the pages in a log into the copy of the file. SQLite ignores those behind a damaged one.
    private func applyLog(_ log: String) throws(SQLiteError) {
        guard try copyLog(log) else { return }
        defer { for ending in ["-wal", "-shm"] { unlink(path + ending) } }
        do {
            let connection = try SQLiteConnection(path: path)
            // SQLite opens the log when it first reads.
            _ = try connection.number("SELECT count(*) FROM sqlite_schema")
            try connection.emptyLog()
        } catch  where !error.isDamage {
            throw error
        } catch {}
    }

    /// Returns false if there is no log.
    private func copyLog(_ log: String) throws(SQLiteError) -> Bool {
        // SQLite holds no locks on a log, so closing it releases none.
        let source = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { return false }
        defer { close(source) }
        let target = open(path + "-wal", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw failure() }
        defer { close(target) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source, &bytes, bytes.count)
            guard count > 0 else { return true }
            guard write(target, bytes, count) == count else { throw failure() }
        }
    }

    private func page(_ number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: pageSize)
        _ = pread(descriptor, &bytes, pageSize, off_t((number - 1) * pageSize))
        return bytes
    }

    private func replace(_ number: Int, with page: [UInt8]) throws(SQLiteError) {
        try store(page, at: (number - 1) * pageSize)
        changes = changes &+ 1
        try store([changes], at: 26)
    }

    private func store(_ bytes: [UInt8], at place: Int) throws(SQLiteError) {
        guard pwrite(descriptor, bytes, bytes.count, off_t(place)) == bytes.count else { throw failure() }
    }

    private func failure() -> SQLiteError {
        SQLiteError(code: 14, message: "cannot be written: \(String(cString: strerror(errno)))", file: path)
    }
}
