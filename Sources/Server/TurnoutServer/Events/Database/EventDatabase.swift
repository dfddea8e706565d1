package import TurnoutClient
package import TurnoutSQLite

/// Keeps the exposures, conversions and visitors that processing finds in the log of events, in `events.sqlite` in
/// a folder. A damaged file is moved aside, and a new one is built from the bodies that the log still has.
///
/// ``EventProcessing`` calls ``offset()``, ``quarantined(_:)``, ``write(_:)`` and ``expire(_:now:)``, one after the
/// other. Meanwhile ``PredictionService`` reads outcomes, ``SegmentPlatform`` reads totals, and ``EventService``
/// forgets users: these calls overlap with each other and with those of processing. All functions may block: the
/// server calls them on threads for blocking calls.
///
/// Every function may throw an error of the file or the disk. If processing fails, the error is logged, the bodies
/// stay in the log, and processing tries again after a pause. If outcomes cannot be read, the earlier weights of
/// the bandit stay. ``prepare(for:)`` is called again a minute later. Other errors fail the request that needs the
/// events.
package final class EventDatabase: Sendable {
    let file: EventDatabaseFile
    /// Keeps the events of all servers, and is asked for them; nil if the file is.
    let engine: (any EventEngine)?
    private let maximumSize: Int64?
    /// Whether the file belongs to a server, and is only read.
    let onlyReads: Bool
    let log: any Log
    private let session = Locked<EventWriter?>(nil)
    let isClosed = Locked(false)
    private let changes = Locked<WriteAheadLog?>(nil)
    /// Reads while the other connection writes, which can take a second.
    private let reader = Locked<SQLiteConnection?>(nil)
    /// Held while users are forgotten: others must not delete what was found.
    let forgetting = Locked(())
    private let engineTotals = Locked(EngineTotals())
    /// Whether the engine lacks events of the file, as of the last look.
    let lacksImport = Locked(false)

    /// Creates the database; the file is opened when it is first used.
    ///
    /// - Parameters:
    ///   - directory: The folder, created if necessary.
    ///   - maximumSize: The maximum size of the file in bytes, at least 512 KiB. When it is reached, events stay in
    ///     the log. Default: nil, no limit.
    ///   - survives: The failures that written rows survive. Default: a power failure.
    ///   - engine: Keeps the events of all servers, and is asked for them. Default: nil, the file is.
    ///   - onlyReads: Whether the folder is that of a server, and nothing is created, upgraded or replaced.
    ///     Default: false.
    ///   - log: Receives messages about damage.
    package init(
        directory: String, maximumSize: Int64? = nil, survives: EventLogOptions.Survival = .powerLoss,
        engine: (any EventEngine)? = nil, onlyReads: Bool = false, log: any Log
    ) {
        self.engine = engine
        self.onlyReads = onlyReads
        file = EventDatabaseFile(directory: directory, survives: survives)
        self.maximumSize = maximumSize
        self.log = log
    }

    /// The offset in the log up to which rows were written, in the same transaction as the rows.
    package func offset() throws -> Int64 { try use { try $0.number("offset") ?? 0 } }

    /// Writes rows and the offset, in one transaction. Events that were written before are left out, so reading a
    /// part of the log again changes nothing.
    ///
    /// - Returns: The numbers of new and known events.
    package func write(_ page: ProcessedPage) throws -> ProcessedCounts {
        try use { writer in try writer.transaction { try writer.write(page) } }
    }

    /// Sets events aside that an engine refuses, with its words.
    func reject(_ refusals: [EngineWriting.Refusal]) throws {
        try use { writer in try writer.transaction { try refusals.forEach(writer.reject) } }
    }

    /// The bodies in quarantine whose project passes a test, removed from quarantine with the next ``write(_:)``.
    package func quarantined(_ isWanted: (String) -> Bool) throws -> [EventLogRecord] {
        try use { try $0.quarantined(isWanted) }
    }

    /// Calls a function with the outcomes of a rule: those of one visitor after another, each visitor's in the
    /// order of their times.
    package func outcomes(_ selection: RuleOutcomes, _ body: (RuleOutcome) -> Void) throws {
        if let engine { return try engine.rows(of: .outcomes(selection)).forEachOutcome(body) }
        // The writer creates the file and its tables.
        try use { _ in }
        // A connection of its own: this takes longer than others may wait.
        try OutcomeReader(file.readWhileWriting()).forEach(selection, body)
    }

    /// Deletes what is older than the limits. Works in small transactions, so that others can write in between.
    ///
    /// - Parameters:
    ///   - retention: The limits.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The number of deleted events.
    /// - Throws: The error of the file.
    package func expire(_ retention: EventRetention, now: Int64) throws -> Int {
        var (retention, deleted) = (retention, 0)
        if engine != nil, try isImported() { retention.eventDays = Self.daysBesideEngine }
        while true {
            let step = try use { writer in try writer.transaction { try writer.expire(retention, now: now) } }
            deleted += step.deleted
            if step.isLast { return deleted }
        }
    }

    /// Calls a function with a connection for other tables of the same server, such as segments. One at a time.
    package func connection<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try use { try body($0.connection) }
    }

    /// Calls a function with a connection that only reads, beside the one that writes. One at a time.
    func reading<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try reader.withLock { reader in
            do {
                if reader?.hasMoved == true { reader = nil }
                let connection = try reader ?? connectionForReading()
                reader = connection
                return try body(connection)
            } catch {
                reader = nil
                throw error
            }
        }
    }

    /// A further connection that only reads. The writer, if there is one, creates the file and its tables.
    func connectionForReading() throws -> SQLiteConnection {
        guard onlyReads else {
            try use { _ in }
            return try file.readWhileWriting()
        }
        let connection = try file.read()
        guard try EventSchema.version(of: connection) == EventSchema.version else {
            throw EventDatabaseError.older(path: file.path)
        }
        return connection
    }

    /// Uses the connection. After damage the file is replaced, and the call repeated once.
    func use<Value: Sendable>(_ body: (EventWriter) throws -> Value) throws -> Value {
        do { return try once(body) } catch let error as SQLiteError where error.isDamage {
            try replace(because: error)
            return try once(body)
        }
    }

    private func once<Value: Sendable>(_ body: (EventWriter) throws -> Value) throws -> Value {
        try session.withLock { session in
            do {
                if isClosed.withLock({ $0 }) { throw CancellationError() }
                if session?.connection.hasMoved == true { session = nil }
                if session == nil { try discardChanges() }
                if let path = session?.connection.emptiedPath {
                    throw SQLiteError(code: 11, message: "the file was emptied", file: path)
                }
                let writer = try session ?? EventWriter(file.open(maximumSize: maximumSize))
                if session == nil { changes.withLock { $0 = WriteAheadLog(of: file.path) } }
                session = writer
                return try body(writer)
            } catch {
                // The remembered state of the tables may have been rolled back.
                session = nil
                throw error
            }
        }
    }

    /// Waits for calls in progress, and cancels further ones.
    func close() {
        reader.withLock { $0 = nil }
        session.withLock { session in
            session = nil
            isClosed.withLock { $0 = true }
        }
    }

    /// Moves the log of a file that was replaced aside, even if the connection had failed before.
    private func discardChanges() throws {
        try changes.withLock { changes in
            guard let last = changes, last.hasLostDatabase else { return }
            try last.moveAside()
            changes = nil
        }
    }

    private func replace(because error: SQLiteError) throws {
        let name = try session.withLock { session in
            session = nil
            return try DamagedFiles(of: file.path).add()
        }
        log(
            .error,
            "events: \(error); the file is kept as \(name), and a new one is built from the requests in the log of "
                + "events; older events are in the damaged file only")
    }
}

/// Why a server's folder cannot be read.
enum EventDatabaseError: Error, CustomStringConvertible {
    case older(path: String)

    var description: String {
        switch self {
        case .older(let path):
            "\(path) was written by an earlier version of the server, which keeps no results: start a server of "
                + "this version with the folder, which upgrades it"
        }
    }
}

extension SQLiteConnection {
    /// The path if the file, which had tables when it was opened, is empty.
    fileprivate var emptiedPath: String? { fileSize == 0 ? path : nil }
}

extension EventDatabase {
    /// Deletes the users' events in all projects; no file contains them afterwards. Parts that cannot be processed
    /// do not say whose they are, so all of them are deleted. Copies of the events are still found: they do not
    /// count again as long as duplicates are found.
    ///
    /// - Returns: The number of deleted events.
    /// - Throws: The error of the file. Then the call can be repeated.
    package func forget(_ users: [String]) throws -> Int {
        try forgetting.withLock { _ in try forgetAlone(users) }
    }

    private func forgetAlone(_ users: [String]) throws -> Int {
        // The writer creates the file and its tables.
        try use { _ in }
        // A connection of its own: all events are read, and others write meanwhile.
        let rows = try ForgottenRows(users, file.readWhileWriting())
        let deleted = try use { writer in try writer.transaction { try writer.forget(users, rows) } }
        // Earlier versions of pages are in the log of changes until it is emptied.
        try use { try $0.connection.emptyLog() }
        return deleted
    }
}

extension EventWriter {
    /// Deletes visitors with their events, and their requests that are set aside.
    ///
    /// - Returns: The number of deleted events.
    func forget(_ users: [String], _ rows: ForgottenRows) throws -> Int {
        var rows = rows
        try rows.update(users, connection)
        var deleted = 0
        for (table, found) in rows.found {
            let statement = try connection.statement("DELETE FROM \(table) WHERE id = ? AND visitor = ?")
            for (id, visitor) in found.rows {
                statement.bind(1, id)
                statement.bind(2, visitor)
                try statement.run()
                deleted += connection.changes
            }
        }
        try delete(rows.visitors, from: "visitors")
        try delete(rows.attributes, from: "attributes")
        try delete(rows.visitors, from: "forced")
        try forgetAllowed(users)
        known.visitors.subtract(rows.visitors)
        known.attributes.subtract(rows.attributes)
        try forgetQuarantined(EventErasure(of: users))
        return deleted
    }

    private func delete(_ ids: Set<Int64>, from table: String) throws {
        let statement = try connection.statement("DELETE FROM \(table) WHERE id = ?")
        for id in ids {
            statement.bind(1, id)
            try statement.run()
        }
    }

    /// Deletes all rejected parts, which do not identify their user, and users from the bodies in quarantine.
    private func forgetQuarantined(_ erasure: EventErasure) throws {
        try connection.statement("DELETE FROM rejected").run()
        let update = try connection.statement("UPDATE quarantine SET body = ? WHERE place = ?")
        let delete = try connection.statement("DELETE FROM quarantine WHERE place = ?")
        for record in try quarantined({ _ in true }) {
            switch erasure.outcome(for: record.body) {
            case .unchanged: continue
            case .changed(let body):
                update.bind(1, body)
                update.bind(2, record.offset)
                try update.run()
            case .nothing:
                delete.bind(1, record.offset)
                try delete.run()
            }
        }
    }
}

// The events of a visitor, for the rules of segments.
//
// An index of all conversions by visitor would make each of them slower to write. Instead, the events that rules
// count have an index each, over their conversions alone. Results do not depend on it, only their speed.
extension EventDatabase {
    /// The conversions of some visitors in a selection, without the events that are not processed yet.
    package func totals(
        of visitors: [String], in selection: ConversionSelection
    ) throws -> ConversionTotals {
        if let engine {
            let ids = visitors.map { EventHash.visitor($0, of: selection.projectID) }
            return try totals(.totals(ids, selection), engine)
        }
        return try reading { connection in
            var totals = ConversionTotals()
            for goal in try Self.goals(of: selection, connection) {
                // The number is part of the text, because only then the index of this event can be used.
                let statement = try connection.statement(
                    "SELECT count(*), sum(CAST(revenue AS REAL)) FROM conversions "
                        + "WHERE goal = \(goal) AND visitor = ? AND timestamp >= ?")
                for visitor in visitors {
                    statement.bind(1, EventHash.visitor(visitor, of: selection.projectID))
                    statement.bind(2, selection.start)
                    defer { statement.reset() }
                    guard try statement.step() else { continue }
                    totals.add(Int(statement.int(0)), sum: statement.double(1))
                }
            }
            return totals
        }
    }

    private func totals(_ query: EngineQuery, _ engine: any EventEngine) throws -> ConversionTotals {
        let start = ContinuousClock.now
        try engineTotals.withLock { try $0.admit(at: start, until: start + query.limit) }
        defer { engineTotals.withLock { $0.waiting -= 1 } }
        do {
            let totals = try engine.rows(of: query).totals
            engineTotals.withLock { $0.answered(at: .now) }
            return totals
        } catch let error as EngineError {
            engineTotals.withLock { $0.failed(error, at: .now, begunAt: start) }
            throw error
        }
    }

    /// Whether there are events of one of some visitors in one of some projects.
    package func knows(_ visitors: [String], in projects: Set<String>) throws -> Bool {
        try reading { connection in
            let statement = try connection.statement("SELECT 1 FROM visitors WHERE id = ?")
            for project in projects {
                for visitor in visitors {
                    statement.bind(1, EventHash.visitor(visitor, of: project))
                    defer { statement.reset() }
                    if try statement.step() { return true }
                }
            }
            return false
        }
    }

    /// Prepares for frequent calls of ``totals(of:in:)`` with some selections, whatever their start, and for no
    /// others.
    package func prepare(for selections: [ConversionSelection]) throws {
        guard engine == nil else { return }
        try connection { connection in
            let goals = try selections.flatMap { try Self.goals(of: $0, connection) }
            let wanted = Set(goals.map { Self.indexPrefix + "\($0)" })
            let statement = try connection.statement(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB '\(Self.indexPrefix)*'")
            var found: Set<String> = []
            while try statement.step() { found.insert(statement.text(0)) }
            statement.reset()
            for name in found.subtracting(wanted) { try connection.run("DROP INDEX \(name)") }
            for name in wanted.subtracting(found) {
                try connection.run(
                    "CREATE INDEX \(name) ON conversions(visitor, timestamp, revenue) "
                        + "WHERE goal = \(name.dropFirst(Self.indexPrefix.count))")
            }
        }
    }

    private static let indexPrefix = "conversions_of_"

    /// The numbers of the events of a selection. An event has several if clients send different ids for its key.
    static func goals(
        of selection: ConversionSelection, _ connection: SQLiteConnection
    ) throws -> [Int64] {
        let statement = try connection.statement("SELECT id FROM goals WHERE event_key = ? AND project = ?")
        statement.bind(1, selection.eventKey)
        statement.bind(2, selection.projectID)
        defer { statement.reset() }
        var goals: [Int64] = []
        while try statement.step() { goals.append(statement.int(0)) }
        return goals
    }
}

/// Whether an engine answers the requests for totals. Clients wait for them, so one that does not is asked again after
/// a pause, by one of them.
private struct EngineTotals {
    // Those that wait hold threads that look-ups of assignments need, too.
    private static let maximumWaiting = 100

    /// The number of requests that wait for the engine now.
    var waiting = 0
    private var breaker = CircuitBreaker(Backoff(first: .seconds(1), longest: .seconds(10), random: .system))
    private var failure: EngineError?
    private var lastAnswer: ContinuousClock.Instant?

    /// Counts a request that will wait, or throws the last failure if the engine is not to be asked.
    mutating func admit(at now: ContinuousClock.Instant, until end: ContinuousClock.Instant) throws {
        if !breaker.admits(at: now, until: end), let failure { throw failure }
        guard waiting < Self.maximumWaiting else {
            throw EngineError.failed("\(waiting) requests already wait for the engine; ask again later")
        }
        waiting += 1
    }

    mutating func answered(at now: ContinuousClock.Instant) {
        breaker.worked()
        lastAnswer = now
    }

    mutating func failed(
        _ error: EngineError, at now: ContinuousClock.Instant, begunAt start: ContinuousClock.Instant
    ) {
        // Otherwise the engine is only slow for one user.
        guard (lastAnswer ?? start) <= start else { return }
        failure = error
        breaker.failed(at: now, begunAt: start)
    }
}
