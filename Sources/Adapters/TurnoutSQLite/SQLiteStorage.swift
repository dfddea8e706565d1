#if SQLite
    public import TurnoutClient

    /// Keeps events, assignments, datafiles and settings in one SQLite file, so that they outlast the process.
    ///
    /// ```swift
    /// let storage = try SQLiteStorage(directory: "/var/lib/shop/turnout")
    /// var configuration = ClientConfiguration()
    /// configuration.keep(in: storage)
    /// ```
    ///
    /// Several storages and processes may use one directory. The file, `turnout.sqlite`, and the directory if it is
    /// new, can be read by their owner only. A file that is found damaged is put aside, what can be read of it
    /// goes to a new one, and work goes on; the log tells.
    public final class SQLiteStorage: Sendable {
        static let standardQueue = "events"
        static let segmentQueue = "segment-events"

        private let journal: Journal
        private let directory: String?
        private let stores = Locked<[String: SQLiteEventStore]>([:])

        /// Remembers assignments.
        public let profiles: SQLiteProfileStore
        /// Keeps the last good datafiles.
        public let datafiles: SQLiteDatafileCache
        /// Keeps small texts.
        public let settings: SQLiteSettings
        /// Why nothing outlasts the process; nil: the file could be opened.
        public let problem: SQLiteError?

        /// Opens the file in a directory, or creates both.
        ///
        /// - Parameters:
        ///   - directory: The directory's path. One for each client, unless clients are to share events.
        ///   - options: How much is kept, and how soon it is in the file. Default: the standard options.
        ///   - log: Where trouble is reported. Default: the standard error output.
        /// - Throws: ``SQLiteError`` if the file can be neither opened nor created, or is of a newer version.
        public convenience init(
            directory: String, _ options: SQLiteOptions = SQLiteOptions(), log: any Log = .standardError
        ) throws {
            self.init(directory, options, log, problem: nil)
            defer { journal.log() }
            try journal.database.open()
        }

        /// Opens the file in a directory; without one that works, everything is kept in memory and an error logged.
        ///
        /// - Parameters:
        ///   - directory: The directory's path.
        ///   - options: How much is kept, and how soon it is in the file. Default: the standard options.
        ///   - log: Where trouble is reported. Default: the standard error output.
        /// - Returns: A storage; see ``isDurable`` and ``problem``.
        public static func open(
            directory: String, _ options: SQLiteOptions = SQLiteOptions(), log: any Log = .standardError
        ) -> SQLiteStorage {
            do {
                return try SQLiteStorage(directory: directory, options, log: log)
            } catch {
                let problem = SQLiteError(error, file: directory + "/turnout.sqlite")
                log.write(.error, "storage: nothing will outlast the process: \(problem)")
                return SQLiteStorage(nil, options, log, problem: problem)
            }
        }

        private init(_ directory: String?, _ options: SQLiteOptions, _ log: any Log, problem: SQLiteError?) {
            self.directory = directory
            self.problem = problem
            journal = Journal(directory: directory, options: options, log: log)
            profiles = SQLiteProfileStore(journal)
            datafiles = SQLiteDatafileCache(journal)
            settings = SQLiteSettings(journal)
        }

        /// Whether what is stored outlasts the process.
        public var isDurable: Bool { journal.database.isDurable }

        /// Keeps events of the standard queue.
        public var events: SQLiteEventStore { events(named: Self.standardQueue) }

        /// Keeps events of a queue of its own. The same name gives the same store.
        public func events(named name: String) -> SQLiteEventStore {
            if let store = stores.withLock({ $0[name] }) { return store }
            let store = SQLiteEventStore(journal, name: name, directory: directory)
            return stores.withLock { stores in
                let first = stores[name] ?? store
                stores[name] = first
                return first
            }
        }

        /// Writes everything that waits.
        ///
        /// - Throws: ``SQLiteError`` if it could not be written.
        public func synchronize() throws {
            if let error = journal.commit(evenIfPausing: true) { throw error }
        }

        /// Lets the file grow to so many pages of 8 KB only, for tests of full disks. 0: as large as the disk.
        package func limitFile(pages: Int) throws {
            try journal.database.withWriter { writer in
                try writer.read { try $0.connection.run("PRAGMA max_page_count = \(pages == 0 ? 1 << 30 : pages)") }
            }
        }
    }

    extension ClientConfiguration {
        /// Keeps events, segment events and assignments in a storage. Not the id of a device, which is a choice of its
        /// own: ``SQLiteSettings/deviceID()``.
        public mutating func keep(in storage: SQLiteStorage) {
            eventStore = storage.events
            segmentEventStore = storage.events(named: SQLiteStorage.segmentQueue)
            profiles = storage.profiles
        }
    }
#endif
