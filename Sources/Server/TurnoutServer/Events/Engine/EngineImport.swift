package import TurnoutClient
import TurnoutEngine
import TurnoutSQLite

/// Writes the events in the file of a server to an engine, while the server runs: those that the log no longer has.
///
/// The rows are those that come from the log, with the same identity: what the engine has already counts once.
package struct EngineImport {
    /// The numbers of events.
    package struct Counts: Sendable, Equatable {
        package var written = 0
        package var refused = 0
        /// Events of the oldest day whose user's id was deleted already. The engine could not forget them.
        package var withoutUser = 0
        /// The engine's words about the first event that it refused.
        package var words: String?
    }

    private static let pageSize: Int64 = 20_000
    /// Requests are large.
    private static let quarantinePageSize: Int64 = 8
    /// Those that are kept longer than other exposures have no id, and say no more.
    private static let firstExposures = """
        (SELECT id, visitor, arm, source, attributes, timestamp, timestamp AS received, 0 AS corrections, NULL AS uuid
        FROM first_exposures)
        """
    /// The requests of projects that were unknown: the engine has those, too.
    private static let quarantine =
        "SELECT place, 0, received, body FROM quarantine WHERE place > ?1 ORDER BY place LIMIT ?4"

    private let connection: SQLiteConnection
    private let engine: any EventEngine
    private let forced: Set<Int64>

    /// Opens the file in a server's folder.
    ///
    /// - Throws: `SQLiteError` if there is none, or it cannot be read.
    package init(directory: String, to engine: any EventEngine, messages: any Log) throws {
        let events = EventDatabase(directory: directory, onlyReads: true, log: messages)
        (connection, self.engine) = (try events.connectionForReading(), engine)
        forced = try events.forcedVisitors(limit: .max)
    }

    /// Writes all events. After an error it can be repeated.
    ///
    /// - Parameter progress: Called after each batch.
    /// - Returns: The numbers of events.
    /// - Throws: The error of the engine or the file.
    package func run(_ progress: (Counts) -> Void = { _ in }) async throws -> Counts {
        var counts = Counts()
        let sources: [(ExportedEvent.Kind?, String)] = [
            (.exposure, EventExport.exposures(in: Self.firstExposures)),
            (.exposure, EventExport.exposures(in: "exposures")), (.conversion, EventExport.conversions),
            (nil, Self.quarantine),
        ]
        for (kind, query) in sources {
            var last: Int64 = -1
            while true {
                var batch = EngineBatch()
                guard let next = try read(kind, query, after: last, into: &batch, &counts) else { break }
                last = next
                guard batch.count > 0 else { continue }
                let refusals = try await EngineWriting.write(batch, to: engine)
                counts.written += batch.count - refusals.count
                counts.refused += refusals.count
                counts.words = counts.words ?? refusals.first?.words
                progress(counts)
            }
        }
        return counts
    }

    /// Reads the next events, in a short transaction. Returns the number of the last row; nil if there is none.
    private func read(
        _ kind: ExportedEvent.Kind?, _ query: String, after last: Int64, into batch: inout EngineBatch,
        _ counts: inout Counts
    ) throws -> Int64? {
        let statement = try connection.statement(query)
        statement.bind(1, last)
        statement.bind(2, Int64.min)
        statement.bind(3, Int64.max)
        statement.bind(4, kind == nil ? Self.quarantinePageSize : Self.pageSize)
        defer { statement.reset() }
        var next: Int64?
        while try statement.step() {
            next = statement.int(0)
            guard kind == nil || !statement.isNull(4) else {
                counts.withoutUser += 1
                continue
            }
            let rows =
                if let kind { EventRows(kind, statement) } else {
                    EventBatchParser().rows(
                        of: EventLogRecord(offset: 0, receivedAt: statement.int(2), body: statement.bytes(3)))
                }
            batch.add(rows, isForced: forced.contains)
        }
        return next
    }
}

extension EventRows {
    /// The event in a row of ``EventExport``, as the parser reads it from the log.
    fileprivate init(_ kind: ExportedEvent.Kind, _ row: Statement) {
        var body: [UInt8] = []
        func add(_ bytes: some Collection<UInt8>) -> EventText {
            body += bytes
            return EventText(start: Int32(body.count - bytes.count), count: Int32(bytes.count))
        }
        func text(_ column: Int32) -> EventText { row.isNull(column) ? .none : add(row.bytes(column)) }
        var event = EventFields()
        event.uuid = text(5)
        // Of a corrected time, the hash has nothing.
        event.timestamp = row.int(11) & EventCorrections.timestamp.rawValue == 0 ? row.int(1) : 0
        let (project, visitor, attributes) = (text(3), text(4), text(6))
        let (account, revision, client, version) = (text(7), text(8), text(9), text(10))
        var (exposures, conversions): ([ExposureRow], [ConversionRow]) = ([], [])
        switch kind {
        case .exposure:
            var arm = ArmTexts()
            (arm.campaign, arm.experiment, arm.variation) = (text(12), text(13), text(14))
            (arm.flagKey, arm.ruleKey, arm.ruleType, arm.variationKey) = (text(15), text(16), text(17), text(18))
            arm.isEnabled = row.isNull(19) ? nil : row.int(19) != 0
            // Clients send the campaign as the entity.
            (event.entityID, event.eventKey) = (arm.campaign, add("campaign_activated".utf8))
            exposures = [ExposureRow(visitorID: visitor, attributes: attributes, arm: arm, event: event)]
        case .conversion:
            (event.entityID, event.eventKey) = (text(12), text(13))
            conversions = [
                ConversionRow(
                    visitorID: visitor, attributes: attributes, revenue: row.isNull(14) ? nil : row.int(14),
                    value: row.isNull(15) ? nil : row.double(15), tags: text(16), event: event)
            ]
        }
        self.init(EventLogRecord(offset: 0, receivedAt: row.int(2), body: body))
        (projectID, accountID, self.revision, clientName, clientVersion) = (project, account, revision, client, version)
        (self.exposures, self.conversions) = (exposures, conversions)
        complete()
    }
}
