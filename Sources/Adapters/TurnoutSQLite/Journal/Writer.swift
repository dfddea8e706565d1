import TurnoutClient

/// The writing connection: opened when it is needed, and reopened when the file was replaced or is damaged.
struct Writer {
    private let file: StorageFile?
    private let options: SQLiteOptions
    private let notices: Notices
    private var session: SQLiteSession?
    private let checkpointer: Checkpointer?
    /// The identity of the session's file.
    private var identity: UInt64?
    /// Whether connections to the previous file have to be reopened.
    var hasReplacedFile = false
    /// How many events were lost to damage, by queue name.
    var damaged: [String: Int] = [:]
    /// Whether the last attempt to write failed.
    var isFailing = false

    init(file: StorageFile?, options: SQLiteOptions, notices: Notices) {
        self.file = file
        self.options = options
        self.notices = notices
        checkpointer = file.map { Checkpointer(path: $0.path) }
    }

    /// Calls `body` in a transaction, and again if the file had to be reopened.
    mutating func write<Result>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
        let result = try read { session in try session.transaction { try body(session) } }
        if let session { checkpointer?.relieve(session.connection) }
        return result
    }

    /// Calls `body` to read, and again if the file had to be reopened.
    mutating func read<Result>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
        if let session, session.connection.isInherited { throw SQLiteError.forked(file: session.connection.path) }
        var attempts = 0
        while true {
            do {
                return try body(try openSession())
            } catch let error as SQLiteError {
                attempts += 1
                if error.code == SQLiteError.moved, attempts <= 3 {
                    session = nil
                    hasReplacedFile = true
                } else if error.isDiskFull, attempts == 1, let log = session?.connection.copyLog(),
                    log.pages > 0, log.pages == log.copied
                {
                    // The log may have used megabytes of the remaining space.
                    continue
                } else if error.isDamage, attempts <= 2, let file {
                    try recover(file, from: error)
                } else {
                    throw error
                }
            }
        }
    }

    private mutating func openSession() throws -> SQLiteSession {
        if let session { return session }
        guard let file else {
            let opened = try SQLiteSession(path: nil, options: options)
            session = opened
            return opened
        }
        let options = options
        try file.create()
        let (opened, identity) = try file.alone(within: lockTimeout) {
            if file.isUnusable { throw SQLiteError.damage("not a Turnout file", file: file.path) }
            return (try SQLiteSession(path: file.path, options: options), file.identity)
        }
        session = opened
        self.identity = identity
        return opened
    }

    /// Overwrites the remains of deleted rows outside of the tables: in the log, in gaps of pages, and in damaged
    /// files that were moved aside.
    ///
    /// - Parameter text: The text to erase from gaps; nil if whole tables were emptied, which leaves no gaps.
    /// - Throws: An error with SQLite's code 5 if another connection still reads from the log.
    mutating func erase(_ text: String?) throws {
        guard let file else { return }
        let count = try file.alone(within: lockTimeout) { file.removeDamaged() }
        if count > 0 {
            let files = count == 1 ? "1 damaged file" : "\(count) damaged files"
            notices.add("\(file.path): deleted \(files) moved aside earlier, which may contain forgotten users", .info)
        }
        try read { session in
            try session.connection.emptyLog()
            guard let text, session.connection.hasRemnants(of: text) else { return }
            try session.connection.run("VACUUM")
            try session.connection.emptyLog()
        }
    }

    /// How long to wait for another process that opens or replaces the file. Zero after a failure: callers would
    /// wait each time.
    private var lockTimeout: Duration { isFailing ? .zero : options.busyTimeout }

    // MARK: Damage

    private mutating func recover(_ file: StorageFile, from error: SQLiteError) throws {
        let damagedSession = session
        let identity = identity
        session = nil
        hasReplacedFile = true
        let losses = try file.alone(within: lockTimeout) { () throws -> [String: Int]? in
            // Another process may have replaced the file already.
            if let identity, damagedSession != nil, identity != file.identity { return nil }
            if damagedSession == nil, !file.isUnusable,
                (try? SQLiteSession(path: file.path, options: options)) != nil
            {
                return nil
            }
            let (report, name) = try salvage(file, besides: damagedSession?.removed ?? RemovedIDs())
            notices.add("\(error); the file was moved to \(name); \(report.text)")
            return report.lostEvents
        }
        // Not before: closing the last connection to a file writes to it and deletes its log.
        withExtendedLifetime(damagedSession) {}
        damaged.merge(losses ?? [:]) { $0 + $1 }
    }

    /// Copies the readable contents to a new file, and moves the old file aside.
    private func salvage(
        _ file: StorageFile, besides removed: RemovedIDs
    ) throws -> (report: SalvageReport, name: String) {
        let old = file.isUnusable ? nil : try? SQLiteConnection(path: file.path)
        old?.wait(milliseconds: 1_000)
        // Other processes that still have the damaged file open must stop writing to it.
        try? old?.run("PRAGMA writable_schema = ON; BEGIN IMMEDIATE")
        // Closed only after its file has moved: otherwise SQLite would write to it and delete its log.
        defer { withExtendedLifetime(old) {} }
        let successor = file.successor
        try successor.create()
        let new = try SQLiteSession(building: successor.path)
        defer { file.copy.remove() }
        let pages = try DamagedPages(of: old, in: file)
        var salvage = Salvage(of: pages, from: old, besides: removed, to: new)
        let report = try salvage.run()
        let name = try DamagedFiles(of: file.path).add()
        try file.take(successor)
        return (report, name)
    }
}

extension SQLiteConnection {
    /// Whether a text, or most of it, is anywhere in the file.
    ///
    /// SQLite overwrites deleted rows, but when it moves rows to another page their bytes remain: in a test with
    /// random names, one deleted row in some thousands could still be found. Freed pages are overwritten.
    fileprivate func hasRemnants(of text: String) -> Bool {
        let bytes = Array(text.utf8)
        // Part of it may have been overwritten since.
        let length = min(bytes.count, max(8, bytes.count * 3 / 4))
        guard length > 0 else { return false }
        let parts = (0...bytes.count - length).map { bytes[$0..<$0 + length] }
        var starts = [Bool](repeating: false, count: 256)
        for part in parts { starts[Int(part[part.startIndex])] = true }
        var chunk = [UInt8](repeating: 0, count: max(1 << 20, 2 * length))
        return stride(from: 0, to: fileSize ?? 0, by: chunk.count - length).contains { place in
            let end = readFile(at: place, into: &chunk) - length
            guard end >= 0 else { return false }
            return (0...end).contains { start in
                starts[Int(chunk[start])] && parts.contains { chunk[start..<start + length] == $0 }
            }
        }
    }
}
