import TurnoutSQLite

/// Writes rows through a connection.
final class EventWriter {
    let connection: SQLiteConnection
    /// The numbers of shared texts that are in the file for certain.
    var known = KnownTexts()

    // Looking a statement up by its text for each event would cost as much as parsing the event.
    private let exposure: Statement
    private let conversion: Statement

    init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        exposure = try connection.statement(
            """
            INSERT INTO exposures(visitor, arm, source, attributes, timestamp, received, corrections, uuid, claimed)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        conversion = try connection.statement(
            """
            INSERT INTO conversions(visitor, goal, source, attributes, timestamp, received, corrections, uuid,
                claimed, revenue, value, tags) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
    }

    /// Calls a function in an exclusive write transaction.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.statement("BEGIN IMMEDIATE").run()
        do {
            let result = try body()
            try connection.statement("COMMIT").run()
            return result
        } catch {
            if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
            throw error
        }
    }

    /// A number in the table of states.
    func number(_ name: String) throws -> Int64? {
        let statement = try connection.statement("SELECT value FROM state WHERE name = ?")
        statement.bind(1, name)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : nil
    }

    func set(_ name: String, _ value: Int64) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO state(name, value) VALUES(?, ?)")
        statement.bind(1, name)
        statement.bind(2, value)
        try statement.run()
    }

    // MARK: Writing

    func write(_ page: ProcessedPage) throws -> ProcessedCounts {
        var counts = ProcessedCounts()
        let news = try newEvents(page, &counts)
        try writeShared(page.rows, news)
        var (index, arms): (Int, [Int64: (arm: ExposureCounts.Arm, count: Int)]) = (0, [:])
        for rows in page.rows {
            let source = try sourceID(rows)
            for row in rows.exposures {
                defer { index += 1 }
                guard news[index] else { continue }
                arms[try write(row, of: rows, source), default: (rows.arm(of: row), 0)].count += 1
                counts.exposures += 1
                if row.event.corrections.contains(.timestamp) { counts.corrected += 1 }
            }
            for row in rows.conversions {
                defer { index += 1 }
                guard news[index] else { continue }
                try write(row, of: rows, source)
                counts.conversions += 1
                if row.event.corrections.contains(.timestamp) { counts.corrected += 1 }
            }
            for part in rows.rejected { try write(part, of: rows) }
            counts.rejected += rows.rejected.count
        }
        counts.arms = Dictionary(arms.values.map { ($0.arm, $0.count) }, uniquingKeysWith: +)
        counts.duplicates = index - counts.exposures - counts.conversions - counts.repeated
        try quarantine(page, &counts)
        try set("offset", page.next)
        return counts
    }

    /// A hash to look up in the table of a day.
    private struct Key {
        let day: Int64
        let key: Int64
        /// The number of the event.
        let index: Int
        /// The earliest of equal keys is the new one.
        let time: Int64
    }

    /// Whether each event is new and to be stored, in the order of the rows.
    private func newEvents(_ page: ProcessedPage, _ counts: inout ProcessedCounts) throws -> [Bool] {
        var (keys, ofDay): ([Key], [Key]) = ([], [])
        keys.reserveCapacity(page.rows.reduce(0) { $0 + $1.count })
        for body in page.rows {
            for row in body.exposures {
                if page.storesFirstOfDay, row.event.day != 0 {
                    let (key, time) = (body.key(ofDay: row), row.event.timestamp)
                    ofDay.append(Key(day: row.event.day, key: key, index: keys.count, time: time))
                }
                keys.append(Key(day: row.event.day, key: row.key, index: keys.count, time: body.receivedAt))
            }
            for row in body.conversions {
                keys.append(Key(day: row.event.day, key: row.key, index: keys.count, time: body.receivedAt))
            }
        }
        var news = [Bool](repeating: true, count: keys.count)
        try look(for: ofDay, &news)
        counts.repeated = news.count { !$0 }
        try look(for: ofDay.isEmpty ? keys : keys.filter { news[$0.index] }, &news)
        return news
    }

    /// Finds out which keys are new, and adds them to the tables. They are looked up in their order, so that
    /// neighbors in a table share its pages.
    private func look(for keys: [Key], _ news: inout [Bool]) throws {
        var (day, statement): (Int64, Statement?) = (-1, nil)
        for key in keys.sorted(by: { ($0.day, $0.key, $0.time) < ($1.day, $1.key, $1.time) }) {
            if key.day != day || statement == nil {
                day = key.day
                statement = try self.statement(seenOn: day)
            }
            statement?.bind(1, key.key)
            if day == 0 { statement?.bind(2, key.time) }
            try statement?.run()
            news[key.index] = connection.changes > 0
        }
    }

    private func statement(seenOn day: Int64) throws -> Statement {
        if day != 0, known.days.insert(day).inserted {
            try connection.run("CREATE TABLE IF NOT EXISTS seen_\(day)(id INTEGER PRIMARY KEY)")
        }
        return try connection.statement(
            day == 0
                ? "INSERT OR IGNORE INTO seen_0(id, received) VALUES(?, ?)"
                : "INSERT OR IGNORE INTO seen_\(day)(id) VALUES(?)")
    }

    /// Texts that rows share, by their numbers.
    private typealias SharedTexts = [Int64: (body: Int, text: EventText)]

    /// Writes the visitors and attributes of new events, in the order of their numbers.
    private func writeShared(_ bodies: [EventRows], _ news: [Bool]) throws {
        var (visitors, attributes): (SharedTexts, SharedTexts) = ([:], [:])
        var index = 0
        func add(_ body: Int, _ visitor: Int64, _ id: EventText, _ list: EventText) {
            defer { index += 1 }
            guard news[index] else { return }
            let day = bodies[body].receivedAt / 86_400_000
            if known.isNew(visitor, on: day, \.visitors) { visitors[visitor] = (body, id) }
            guard !list.isNone else { return }
            let hash = bodies[body].hash(of: list)
            if known.isNew(hash, on: day, \.attributes) { attributes[hash] = (body, list) }
        }
        for (number, body) in bodies.enumerated() {
            for row in body.exposures { add(number, row.visitor, row.visitorID, row.attributes) }
            for row in body.conversions { add(number, row.visitor, row.visitorID, row.attributes) }
        }
        try write(visitors: visitors, of: bodies)
        try write(attributes: attributes, of: bodies)
    }

    private func write(visitors: SharedTexts, of bodies: [EventRows]) throws {
        let visitor = try connection.statement(
            """
            INSERT INTO visitors(id, project, visitor, first, last) VALUES(?1, ?2, ?3, ?4, ?4)
            ON CONFLICT(id) DO UPDATE SET last = max(last, excluded.last)
            """)
        for (id, (body, text)) in visitors.sorted(by: { $0.key < $1.key }) {
            visitor.bind(1, id)
            bodies[body].bind(bodies[body].projectID, to: 2, of: visitor)
            bodies[body].bind(text, to: 3, of: visitor)
            visitor.bind(4, bodies[body].receivedAt)
            try visitor.run()
        }
    }

    private func write(attributes: SharedTexts, of bodies: [EventRows]) throws {
        let list = try connection.statement(
            """
            INSERT INTO attributes(id, content, last) VALUES(?1, ?2, ?3)
            ON CONFLICT(id) DO UPDATE SET last = max(last, excluded.last)
            """)
        for (id, (body, text)) in attributes.sorted(by: { $0.key < $1.key }) {
            list.bind(1, id)
            bodies[body].bind(text, to: 2, of: list)
            list.bind(3, bodies[body].receivedAt)
            try list.run()
        }
    }

    private func sourceID(_ rows: EventRows) throws -> Int64 {
        let texts = [rows.projectID, rows.accountID, rows.revision, rows.clientName, rows.clientVersion]
        return try known.id(of: texts, nil, in: rows, \.sources) {
            try connection.statement(
                """
                INSERT OR IGNORE INTO sources(id, project, account, revision, client, version)
                VALUES(?, ?, ?, ?, ?, ?)
                """
            )
        }
    }

    /// Writes an exposure, and returns the number of its arm.
    private func write(_ row: ExposureRow, of rows: EventRows, _ source: Int64) throws -> Int64 {
        let armID = try known.id(of: rows.texts(of: row.arm), row.arm.number, in: rows, \.arms) {
            try connection.statement(
                """
                INSERT OR IGNORE INTO arms(id, project, campaign, experiment, variation, flag_key, rule_key,
                    rule_type, variation_key, enabled) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        }
        exposure.bind(2, armID)
        bind(row.visitor, row.attributes, row.event, of: rows, source, to: exposure)
        try exposure.run()
        return armID
    }

    private func write(_ row: ConversionRow, of rows: EventRows, _ source: Int64) throws {
        let goal = try known.id(
            of: [rows.projectID, row.event.entityID, row.event.eventKey], nil, in: rows, \.goals
        ) {
            try connection.statement(
                "INSERT OR IGNORE INTO goals(id, project, event, event_key) VALUES(?, ?, ?, ?)")
        }
        conversion.bind(2, goal)
        bind(row.visitor, row.attributes, row.event, of: rows, source, to: conversion)
        conversion.bind(10, row.revenue)
        conversion.bind(11, real: row.value)
        rows.bind(row.tags, to: 12, of: conversion)
        try conversion.run()
    }

    private func bind(
        _ visitor: Int64, _ attributes: EventText, _ event: EventFields, of rows: EventRows, _ source: Int64,
        to statement: Statement
    ) {
        statement.bind(1, visitor)
        statement.bind(3, source)
        statement.bind(4, attributes.isNone ? nil : rows.hash(of: attributes))
        statement.bind(5, event.timestamp)
        statement.bind(6, rows.receivedAt)
        statement.bind(9, event.claimed)
        rows.withBytes(of: event.uuid) { text in
            statement.bind(7, event.corrections.rawValue)
            guard let text, !text.isEmpty else { return statement.bind(8, nil as Int64?) }
            let isLowercase = text.contains { 0x61...0x66 ~= $0 }
            let isMixed = isLowercase && text.contains { 0x41...0x46 ~= $0 }
            guard !isMixed, let bits = EventUUID.bits(text) else { return statement.bind(8, utf8: text) }
            if isLowercase { statement.bind(7, event.corrections.union(.lowercaseUUID).rawValue) }
            withUnsafeBytes(of: (bits.high.bigEndian, bits.low.bigEndian)) { statement.bind(8, blob: $0) }
        }
    }
}

extension EventRows {
    /// Sets a parameter to a text.
    func bind(_ text: EventText, to parameter: Int32, of statement: Statement) {
        withBytes(of: text) { bytes in
            if let bytes {
                statement.bind(parameter, utf8: bytes)
            } else {
                statement.bind(parameter, nil as Int64?)
            }
        }
    }

    /// The number of a text.
    func hash(of text: EventText) -> Int64 {
        var hash = EventHash()
        withBytes(of: text) { hash.add($0) }
        return hash.value
    }

    /// The hash of a combination of texts and a number.
    func hash(of texts: [EventText], _ number: Int64?) -> EventHash {
        var hash = EventHash()
        for text in texts { withBytes(of: text) { hash.add($0) } }
        hash.add(UInt64(bitPattern: number ?? -1))
        return hash
    }

    /// The texts of a row of `arms`, which also has ``ArmTexts/number``.
    fileprivate func texts(of arm: ArmTexts) -> [EventText] {
        [
            projectID, arm.campaign, arm.experiment, arm.variation, arm.flagKey, arm.ruleKey, arm.ruleType,
            arm.variationKey,
        ]
    }

    /// The hash that all exposures of a visitor to a variation share on a day.
    fileprivate func key(ofDay row: ExposureRow) -> Int64 {
        var hash = hash(of: texts(of: row.arm), row.arm.number)
        hash.add(UInt64(bitPattern: row.visitor))
        return hash.value
    }
}

extension ArmTexts {
    fileprivate var number: Int64? { isEnabled.map { $0 ? 1 : 0 } }
}

// Rejected parts, quarantine, and the end of events.
extension EventWriter {
    /// The bytes of a rejected part that are kept.
    private static var keptContent: Int { 4_096 }

    func write(_ part: RejectedPart, of rows: EventRows) throws {
        let statement = try connection.statement(
            "INSERT INTO rejected(received, place, project, reason, content) VALUES(?, ?, ?, ?, ?)")
        statement.bind(1, rows.receivedAt)
        statement.bind(2, rows.offset + Int64(part.start))
        rows.bind(rows.projectID, to: 3, of: statement)
        statement.bind(4, part.reason.rawValue)
        let end = min(rows.body.count, part.start + min(part.count, Self.keptContent))
        statement.bind(5, [UInt8](rows.body[min(part.start, end)..<end]))
        try statement.run()
    }

    func reject(_ refusal: EngineWriting.Refusal) throws {
        let statement = try connection.statement(
            "INSERT INTO rejected(received, place, project, reason, content) VALUES(?, ?, ?, ?, ?)")
        for row in refusal.event.rows {
            let rows = refusal.event.bodies[row.body]
            statement.bind(1, rows.receivedAt)
            statement.bind(2, rows.offset)
            rows.bind(rows.projectID, to: 3, of: statement)
            statement.bind(4, refusal.words)
            statement.bind(5, EngineTable.json(row, of: rows))
            try statement.run()
        }
    }

    /// Moves bodies to quarantine, and removes the released ones.
    func quarantine(_ page: ProcessedPage, _ counts: inout ProcessedCounts) throws {
        for rows in page.unknown {
            let statement = try connection.statement(
                "INSERT OR IGNORE INTO quarantine(place, received, project, body) VALUES(?, ?, ?, ?)")
            statement.bind(1, rows.offset)
            statement.bind(2, rows.receivedAt)
            rows.bind(rows.projectID, to: 3, of: statement)
            statement.bind(4, rows.body)
            try statement.run()
            counts.quarantined += 1
        }
        for offset in page.released {
            let statement = try connection.statement("DELETE FROM quarantine WHERE place = ?")
            statement.bind(1, offset)
            try statement.run()
        }
    }

    func quarantined(_ isWanted: (String) -> Bool) throws -> [EventLogRecord] {
        let statement = try connection.statement("SELECT place, received, project, body FROM quarantine")
        defer { statement.reset() }
        var records: [EventLogRecord] = []
        while try statement.step() {
            guard isWanted(statement.text(2)) else { continue }
            records.append(
                EventLogRecord(
                    offset: statement.int(0), receivedAt: statement.int(1), body: statement.bytes(3)))
        }
        return records
    }

    // MARK: Retention

    /// The rows that one transaction deletes.
    private static var stepSize: Int64 { 20_000 }

    /// Deletes one batch of expired rows.
    ///
    /// - Returns: The number of deleted events, and whether no expired rows are left.
    func expire(_ retention: EventRetention, now: Int64) throws -> (deleted: Int, isLast: Bool) {
        let day: Int64 = 86_400_000
        let limit = now - Int64(retention.days) * day
        let eventLimit = max(limit, now - Int64(retention.eventDays ?? retention.days) * day)
        var deleted = 0
        for table in EventSchema.eventTables {
            deleted += try expire(table, before: eventLimit, keepsFirst: retention.eventDays == nil)
        }
        guard deleted == 0 else { return (deleted, false) }
        for table in ["visitors", "forced"] { try delete("DELETE FROM \(table) WHERE last < ?", limit) }
        try expireFirstExposures(before: limit)
        try delete(
            """
            DELETE FROM attributes WHERE last < ?
                AND NOT EXISTS (SELECT 1 FROM first_exposures WHERE attributes = attributes.id)
            """, eventLimit)
        try dropDays(before: (now - Int64(retention.duplicateDays) * day) / day)
        try delete("DELETE FROM seen_0 WHERE received < ?", now - Int64(retention.duplicateDays) * day)
        let aside = now - Int64(min(retention.asideDays, retention.days)) * day
        try delete("DELETE FROM rejected WHERE received < ?", aside)
        try delete(
            "DELETE FROM rejected WHERE id <= (SELECT max(id) FROM rejected) - ?", Int64(retention.maximumRejected))
        try delete("DELETE FROM quarantine WHERE received < ?", aside)
        try delete(
            """
            DELETE FROM quarantine WHERE place IN (SELECT place FROM (SELECT place,
                sum(length(body)) OVER (ORDER BY place DESC) AS size FROM quarantine) WHERE size > ?)
            """, Int64(retention.maximumQuarantine))
        return (0, true)
    }

    /// Deletes the oldest rows of a table. Rows are in the order in which they were processed, so the first one
    /// tells whether there are any.
    private func expire(_ table: String, before limit: Int64, keepsFirst: Bool) throws -> Int {
        let first = try connection.statement("SELECT id, received FROM \(table) ORDER BY id LIMIT 1")
        guard try first.step() else { return 0 }
        let (id, received) = (first.int(0), first.int(1))
        first.reset()
        guard received < limit else { return 0 }
        let end = id + Self.stepSize
        if table == "exposures", keepsFirst { try keepFirstExposures(ofRowsBefore: end, receivedBefore: limit) }
        let statement = try connection.statement("DELETE FROM \(table) WHERE id < ? AND received < ?")
        statement.bind(1, end)
        statement.bind(2, limit)
        try statement.run()
        return connection.changes
    }

    private func delete(_ sql: String, _ limit: Int64) throws {
        let statement = try connection.statement(sql)
        statement.bind(1, limit)
        try statement.run()
    }

    /// Drops the tables by which duplicates of earlier days are found.
    private func dropDays(before day: Int64) throws {
        let statement = try connection.statement("SELECT name FROM sqlite_master WHERE name GLOB 'seen_[1-9]*'")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        for name in names where Int64(name.dropFirst(5)).map({ $0 < day }) == true {
            try connection.run("DROP TABLE \(name)")
            known.days.remove(Int64(name.dropFirst(5)) ?? 0)
        }
    }
}
