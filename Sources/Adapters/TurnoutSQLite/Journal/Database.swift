import TurnoutClient

/// The connections to the file, behind locks: one that writes, one that reads, and those that look up users for
/// decisions.
final class Database: Sendable {
    let notices = Notices()
    let readers: ProfileReaders
    private let file: StorageFile?
    private let options: SQLiteOptions
    private let writer: Locked<Writer>
    private let reader = Locked<Reader>(Reader())

    /// Prepares to open the file in a directory, or a database in memory if nil.
    init(directory: String?, options: SQLiteOptions) {
        let file = directory.map { StorageFile(directory: $0, syncsNames: options.survives == .powerLoss) }
        self.file = file
        self.options = options
        let notices = notices
        readers = ProfileReaders(file: file, options: options, notices: notices)
        writer = Locked(Writer(file: file, options: options, notices: notices))
    }

    /// Opens the file, if it is not open yet.
    func open() throws { try withWriter { _ = try $0.read { _ in true } } }

    /// Whether there is a file.
    var isDurable: Bool { file != nil }

    /// Calls `body` with exclusive write access within this process.
    func withWriter<Result: Sendable>(_ body: (inout Writer) throws -> Result) rethrows -> Result {
        try writer.withLock { writer in
            defer {
                // The other connections still have the previous file open.
                if writer.hasReplacedFile {
                    writer.hasReplacedFile = false
                    reader.withLock { $0.session = nil }
                    readers.reset()
                }
            }
            return try body(&writer)
        }
    }

    /// Calls `body` in a transaction.
    func write<Result: Sendable>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
        try withWriter { try $0.write(body) }
    }

    /// Calls `body` to read committed data, without waiting for the writer.
    func read<Result: Sendable>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
        if let file {
            let result: Result? = reader.withLock { reader in
                do { return try body(try reader.open(file, options)) } catch {
                    reader.session = nil
                    return nil
                }
            }
            if let result { return result }
        }
        // The writer handles damage.
        return try withWriter { try $0.read(body) }
    }
}

/// A connection for reading, opened when it is needed. Its user discards it after an error.
struct Reader {
    var session: SQLiteSession?
    private var useCount = 0

    /// A connection to the file, which must exist.
    mutating func open(_ file: StorageFile, _ options: SQLiteOptions) throws -> SQLiteSession {
        useCount += 1
        // Another process may have replaced a damaged file. Checking each time would cost as much as reading.
        if useCount % 64 == 0, session?.connection.hasMoved == true { session = nil }
        let opened = try session ?? SQLiteSession(path: file.path, options: options)
        guard !opened.connection.isInherited else { throw SQLiteError.forked(file: file.path) }
        session = opened
        return opened
    }
}

/// Log entries that are written once no lock is held.
final class Notices: Sendable {
    private let entries = Locked<[(level: LogLevel, message: String)]>([])

    func add(_ message: String, _ level: LogLevel = .error) { entries.withLock { $0.append((level, message)) } }

    func deliver(to log: any Log) {
        let entries = entries.withLock { entries in
            defer { if !entries.isEmpty { entries = [] } }
            return entries
        }
        for entry in entries { log(entry.level, entry.message) }
    }
}
