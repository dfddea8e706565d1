#if SQLite
    import TurnoutClient

    /// The connection that writes: opened when it is needed, and again when the file was replaced or is damaged.
    struct Writer {
        private let file: StorageFile?
        private let options: SQLiteOptions
        private let notices: Notices
        private var session: Session?
        private let checkpointer: Checkpointer?
        /// Which file the session is of.
        private var identity: UInt64?
        /// Whether connections to the file before are of no use.
        var hasReplacedFile = false
        /// How many events damage took, by the names of their queues.
        var damaged: [String: Int] = [:]
        /// What did not work last, and when to try again.
        private(set) var failure: (error: SQLiteError, until: ContinuousClock.Instant)?
        private var pause = Self.firstPause

        private static let firstPause = Duration.milliseconds(50)
        private static let longestPause = Duration.seconds(5)

        init(file: StorageFile?, options: SQLiteOptions, notices: Notices) {
            self.file = file
            self.options = options
            self.notices = notices
            checkpointer = file.map { Checkpointer(path: $0.path) }
        }

        /// Calls `body` in a transaction; again, if the file had to be opened again.
        mutating func write<Result>(_ body: (Session) throws -> Result) throws -> Result {
            let result = try work { session in try session.transaction { try body(session) } }
            if let session { checkpointer?.relieve(session.connection) }
            return result
        }

        /// Calls `body` to read; again, if the file had to be opened again.
        mutating func read<Result>(_ body: (Session) throws -> Result) throws -> Result { try work(body) }

        private mutating func work<Result>(_ body: (Session) throws -> Result) throws -> Result {
            var attempts = 0
            while true {
                do {
                    return try body(try openSession())
                } catch let error as SQLiteError {
                    attempts += 1
                    if error.code == SQLiteError.moved, attempts <= 3 {
                        session = nil
                        hasReplacedFile = true
                    } else if error.isLackOfRoom, attempts == 1, let log = session?.connection.copyLog(),
                        log.pages > 0, log.pages == log.copied
                    {
                        // The log may have taken megabytes of what room there was.
                        continue
                    } else if error.isDamage, attempts <= 2, let file {
                        try recover(file, from: error)
                    } else {
                        throw error
                    }
                }
            }
        }

        private mutating func openSession() throws -> Session {
            if let session { return session }
            guard let file else {
                let opened = try Session(path: nil, options: options)
                session = opened
                return opened
            }
            let options = options
            try file.create()
            let (opened, identity) = try file.alone {
                if file.isUnusable { throw SQLiteError.damage("not a file of ours", file: file.path) }
                return (try Session(path: file.path, options: options), file.identity)
            }
            session = opened
            self.identity = identity
            return opened
        }

        // MARK: Failures

        /// Whether it is too early to try again.
        var isPausing: Bool {
            guard let failure else { return false }
            return ContinuousClock.now < failure.until
        }

        /// How long to wait before the next attempt.
        var remainingPause: Duration {
            guard let failure else { return .zero }
            return max(.milliseconds(1), ContinuousClock.now.duration(to: failure.until))
        }

        /// Notes that something was committed.
        mutating func succeeded() {
            guard failure != nil else { return }
            failure = nil
            pause = Self.firstPause
        }

        /// Notes what went wrong; the log is told once, until something works again.
        mutating func failed(_ error: SQLiteError) {
            if failure == nil { notices.add("events and assignments stay in memory for now: \(error)") }
            failure = (error, ContinuousClock.now.advanced(by: pause))
            pause = min(pause * 2, Self.longestPause)
        }

        // MARK: Damage

        private mutating func recover(_ file: StorageFile, from error: SQLiteError) throws {
            let damagedSession = session
            let identity = identity
            session = nil
            hasReplacedFile = true
            let losses = try file.alone { () throws -> [String: Int]? in
                // Another process may have been faster.
                if let identity, damagedSession != nil, identity != file.identity { return nil }
                if damagedSession == nil, !file.isUnusable, (try? Session(path: file.path, options: options)) != nil {
                    return nil
                }
                let successor = file.successor
                successor.create()
                let old = file.isUnusable ? nil : try? SQLiteConnection(path: file.path)
                let removed = damagedSession?.removed ?? RemovedIDs()
                let losses = try Salvage(from: old, besides: removed, to: Session(building: successor.path)).run()
                let name = try file.putAside()
                try file.take(successor)
                notices.add(
                    "\(error); it was put aside as \(name), \(losses.saved) events went to a new file, "
                        + "\(losses.byQueue.values.reduce(0, +)) were lost")
                return losses.byQueue
            }
            // Not before: closing the last connection to a file would write to it and delete what belongs to it.
            withExtendedLifetime(damagedSession) {}
            damaged.merge(losses ?? [:]) { $0 + $1 }
        }
    }
#endif
