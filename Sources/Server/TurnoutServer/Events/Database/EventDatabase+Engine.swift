import TurnoutClient
import TurnoutSQLite

// What the file has beside an engine.
extension EventDatabase {
    /// The days for which exposures and conversions are kept here if an engine has them, too: for the page Live, and
    /// for those about users and clients.
    static let daysBesideEngine = 7

    /// What to do about events that only this server has; nil if there are none, as of the last look.
    var earlierEvents: String? {
        guard let engine, lacksImport.withLock({ $0 }) else { return nil }
        return "events from before the engine are only in this server's file, and results do not count them: run "
            + "turnout engine import --data \(file.directory) --engine URL, with the address of \(engine.description)"
    }

    /// Looks whether the engine has the events of the file: if they were imported, or there were none when the engine
    /// was set. What comes later reaches it through the log, as long as the setting stays. Blocks.
    @discardableResult
    func isImported() throws -> Bool {
        let mark = engine.map { EventReader.engine($0).name }
        let isImported = try use { writer in
            // An engine that was not set all the time lacks events.
            let others = try writer.connection.statement(
                "DELETE FROM state WHERE name GLOB 'engine:*' AND name IS NOT ? RETURNING name")
            others.bind(1, mark)
            defer { others.reset() }
            while try others.step() {
                let place = EventReader(others.text(0)).engine ?? ""
                log(
                    .warning,
                    "events: those from before the last \(Self.daysBesideEngine) days are only in \(place): results "
                        + "lack them, unless events.engine names it")
            }
            guard let mark else { return true }
            if try writer.number(mark) == nil, try writer.isEmpty { try writer.set(mark, 1) }
            return try writer.number(mark) != nil
        }
        lacksImport.withLock { $0 = !isImported }
        return isImported
    }

    /// Writes that the engine has the events of the file. Blocks.
    package func setImported() throws {
        guard let engine else { return }
        try use { try $0.set(EventReader.engine(engine).name, 1) }
    }

    /// The visitors whose variation was forced, the last ones. Blocks.
    func forcedVisitors(limit: Int64) throws -> Set<Int64> {
        try reading { connection in
            let statement = try connection.statement("SELECT id FROM forced ORDER BY last DESC LIMIT ?")
            statement.bind(1, limit)
            defer { statement.reset() }
            var visitors: Set<Int64> = []
            while try statement.step() { visitors.insert(statement.int(0)) }
            return visitors
        }
    }
}

extension EventWriter {
    /// Whether there are no events, also none of unknown projects.
    fileprivate var isEmpty: Bool {
        get throws {
            let tables = EventSchema.visitorTables + ["quarantine"]
            let counts = tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")
            return try connection.number("SELECT \(counts)") == 0
        }
    }
}
