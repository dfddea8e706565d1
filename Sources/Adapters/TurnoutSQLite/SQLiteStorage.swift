public import TurnoutClient

/// Stores events, assignments, datafiles and settings in one SQLite file, where they survive the process.
///
/// ```swift
/// let storage = try SQLiteStorage(directory: "/var/lib/shop/turnout")
/// var configuration = ClientConfiguration()
/// configuration.keep(in: storage)
/// ```
///
/// Several storages and processes may use one directory. The file, `turnout.sqlite`, and a directory that is
/// created for it are readable by their owner only. A damaged file is moved aside, its readable contents are copied
/// to a new file, and the repair is logged.
public final class SQLiteStorage: Sendable {
    static let segmentQueue = "segment-events"

    private let journal: Journal
    private let directory: String?
    private let stores = Locked<[String: SQLiteEventStore]>([:])

    /// Stores assignments.
    public let profiles: SQLiteProfileStore
    /// Stores the last good datafiles.
    public let datafiles: SQLiteDatafileCache
    /// Stores small strings by name.
    public let settings: SQLiteSettings
    /// Why everything is in memory only; nil if the file could be opened.
    public let problem: SQLiteError?

    /// Opens the file in a directory. Creates both if necessary.
    ///
    /// - Parameters:
    ///   - directory: The directory's path. Clients that use one directory share events.
    ///   - options: How much is kept, and how soon it is in the file. Default: the standard options.
    ///   - log: Receives warnings and errors. Default: the standard error output.
    /// - Throws: ``SQLiteError`` if the file can be neither opened nor created, or was written by a newer version.
    public convenience init(
        directory: String, _ options: SQLiteOptions = SQLiteOptions(), log: any Log = .standardError
    ) throws {
        try self.init(directory: directory, options, log: log) { .now }
    }

    /// Opens the file in a directory, with a clock for the pauses after failures.
    package convenience init(
        directory: String, _ options: SQLiteOptions, log: any Log,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) throws {
        self.init(directory, options, log, problem: nil, now: now)
        defer { journal.log() }
        try journal.database.open()
    }

    /// Opens the file in a directory. If that fails, keeps everything in memory and logs an error.
    ///
    /// - Parameters:
    ///   - directory: The directory's path.
    ///   - options: How much is kept, and how soon it is in the file. Default: the standard options.
    ///   - log: Receives warnings and errors. Default: the standard error output.
    /// - Returns: A storage; see ``isDurable`` and ``problem``.
    public static func open(
        directory: String, _ options: SQLiteOptions = SQLiteOptions(), log: any Log = .standardError
    ) -> SQLiteStorage {
        do {
            return try SQLiteStorage(directory: directory, options, log: log)
        } catch {
            let problem = SQLiteError(error, file: directory + "/turnout.sqlite")
            log.write(.error, "storage: data is kept in memory only and is lost when the process ends: \(problem)")
            return SQLiteStorage(nil, options, log, problem: problem)
        }
    }

    private init(
        _ directory: String?, _ options: SQLiteOptions, _ log: any Log, problem: SQLiteError?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.directory = directory
        self.problem = problem
        journal = Journal(directory: directory, options: options, log: log, now: now)
        profiles = SQLiteProfileStore(journal)
        datafiles = SQLiteDatafileCache(journal)
        settings = SQLiteSettings(journal)
    }

    /// Whether stored data survives the process.
    public var isDurable: Bool { journal.database.isDurable }

    /// The store for the standard event queue.
    public var events: SQLiteEventStore { events(named: GroupTable.standardQueue) }

    /// The store for a named event queue. The same name returns the same store.
    public func events(named name: String) -> SQLiteEventStore {
        if let store = stores.withLock({ $0[name] }) { return store }
        let store = SQLiteEventStore(journal, name: name, directory: directory)
        return stores.withLock { stores in
            let first = stores[name] ?? store
            stores[name] = first
            return first
        }
    }

    /// The store for a named event queue that has a limit of its own, which replaces an earlier one.
    package func events(named name: String, atMost limit: Int) -> SQLiteEventStore {
        let store = events(named: name)
        journal.state.withLock { $0.queues[store.queue].limit = max(1, limit) }
        return store
    }

    /// Writes all buffered additions.
    ///
    /// - Throws: ``SQLiteError`` if they could not be written.
    public func synchronize() throws {
        if let error = journal.commit(evenIfPausing: true) { throw error }
    }

    /// Limits the file to a number of 8 KB pages, for tests of full disks; 0 removes the limit.
    package func limitFile(pages: Int) throws {
        try journal.database.withWriter { writer in
            try writer.read { try $0.connection.run("PRAGMA max_page_count = \(pages == 0 ? 1 << 30 : pages)") }
        }
    }
}

extension ClientConfiguration {
    /// Stores events, segment events and assignments in a storage. The device id is opt-in: see
    /// ``SQLiteSettings/deviceID()``.
    public mutating func keep(in storage: SQLiteStorage) {
        eventStore = storage.events
        segmentEventStore = storage.events(named: SQLiteStorage.segmentQueue)
        profiles = storage.profiles
    }
}
