import TurnoutClient

/// Copies the rows that SQLite can read on the pages of a damaged file to a new one.
///
/// The types of a row's columns show its table. Rows with a checksum have to match it.
struct Salvage {
    /// Numbers that may be an id or a time of use: damaged ones must not exhaust the counters.
    private static let plausible: ClosedRange<Int64> = 0...1 << 40

    private let pages: DamagedPages
    private let old: SQLiteConnection?
    private let new: SQLiteSession
    private let removed: RemovedIDs
    /// The intact totals, by name.
    private var totals: [String: Totals] = [:]
    /// Names in indexes by the id of their row, which may be in any of three tables.
    private var names: [Int64: Set<String>] = [:]

    /// Prepares to copy rows. Removed events are not copied, because damage may expose their remains.
    ///
    /// - Parameters:
    ///   - pages: The pages of the damaged file.
    ///   - old: A connection to the file, to count its rows; nil if there is only a log.
    ///   - removed: The ids of removed events.
    ///   - new: The new file.
    init(of pages: DamagedPages, from old: SQLiteConnection?, besides removed: RemovedIDs, to new: SQLiteSession) {
        (self.pages, self.old, self.removed, self.new) = (pages, old, removed, new)
    }

    /// Copies the readable rows.
    ///
    /// - Throws: The errors of writing to the new file.
    mutating func run() throws -> SalvageReport {
        try new.transaction {
            try pages.scan { row in try copy(row) }
            try restoreUsers()
            try new.connection.run(
                """
                DELETE FROM events WHERE "group" NOT IN (SELECT id FROM groups);
                DELETE FROM rejected WHERE "group" NOT IN (SELECT id FROM groups);
                DELETE FROM assignments WHERE user NOT IN (SELECT id FROM users)
                """)
            return try count()
        }
    }

    // MARK: Rows

    private mutating func copy(_ row: Statement) throws {
        switch row.types {
        case "itiiiin":
            let found = Totals(
                id: row.int(0), name: row.text(1), count: row.int(2), bytes: row.int(3), next: row.int(4))
            if found.checksum == row.int(5) { totals[found.name] = found }
        case "itttnni", "itttnti", "ittttni", "ittttti":
            guard Self.plausible.contains(row.int(0)), SQLiteSession.group(row) != nil else { return }
            try insert(row, 7, into: "groups")
        case "iiiibnn", "iinibnn":
            let event = StoredEventRow(row)
            if !event.isDamaged, !removed.contains(event.id) { try insert(row, 5, into: "events") }
        case "iiiiibn", "iiiinbn":
            // Events that were set aside because they are damaged are useless.
            if Self.plausible.contains(row.int(0)), row.int(2) == 0 { try insert(row, 6, into: "rejected") }
        case "itinnnn":
            guard Self.plausible.contains(row.int(0)), Self.plausible.contains(row.int(2)) else { return }
            try insert(row, 3, into: "users")
        case "tbnninn", "tbntinn", "tbtninn", "tbttinn":
            let copy = DatafileCopy(
                datafile: row.bytes(1), lastModified: row.optionalText(2), entityTag: row.optionalText(3))
            if SQLiteSession.checksum(of: copy) == row.int(4) { try insert(row, 5, into: "datafiles") }
        case "itt": try insert(row, 3, into: "assignments")
        case "ttn": try insert(row, 2, into: "settings")
        case "tin": names[row.int(1), default: []].insert(row.text(0))
        default: break
        }
    }

    private func insert(_ row: Statement, _ count: Int32, into table: String) throws {
        let places = repeatElement("?", count: Int(count)).joined(separator: ", ")
        let insert = try new.connection.statement("INSERT OR IGNORE INTO \(table) VALUES(\(places))")
        for column in 0..<count { insert.bind(column + 1, column, of: row) }
        try insert.run()
    }

    /// Adds users whose row is lost and whose name is still in an index.
    private func restoreUsers() throws {
        let ids = try new.connection.rows(
            "SELECT DISTINCT user FROM assignments WHERE user NOT IN (SELECT id FROM users)"
        ) { $0.int(0) }
        // Their last use is in another index, which is not read; they are deleted first when space is needed.
        let sql = "INSERT OR IGNORE INTO users SELECT ?1, ?2, 0 WHERE ?2 NOT IN (SELECT key FROM datafiles)"
        for id in ids where Self.plausible.contains(id) {
            for name in names[id, default: []] where totals[name]?.id != id { try new.connection.run(sql, id, name) }
        }
    }

    // MARK: Counts

    /// Saves the totals of what was copied, and compares them with those of the damaged file.
    private func count() throws -> SalvageReport {
        let isComplete = rowCount("totals") == totals.count
        var queues = totals
        let users = queues.removeValue(forKey: Totals.users)
        var report = SalvageReport(lostEvents: try saveTotals(of: queues))
        try saveTotals(ofUsers: users)
        for table in SalvageReport.tables {
            var before = rowCount(table)
            if table == "events", isComplete { before = queues.values.reduce(0) { $0 + Int($1.count) } }
            if table == "users", isComplete || users != nil { before = Int(users?.count ?? 0) }
            let saved = Int(try new.connection.number("SELECT count(*) FROM \(table)"))
            report.saved[table] = saved
            report.lost[table] = before.map { max(0, $0 - saved) }
        }
        return report
    }

    /// The number of rows in a table of the damaged file; nil if damage hides some.
    private func rowCount(_ table: String) -> Int? {
        guard let old, (try? old.text("PRAGMA quick_check('\(table)')")) == "ok" else { return nil }
        return (try? old.number("SELECT count(*) FROM \(table)")).map { Int($0) }
    }

    private func saveTotals(ofUsers old: Totals?) throws {
        var totals = try new.totals(Totals.users)
        totals.count = try new.connection.number("SELECT count(*) FROM users")
        totals.next = max(old?.next ?? 1, try new.connection.number("SELECT coalesce(max(used), 0) + 1 FROM users"))
        try new.save(totals)
    }

    /// Saves the totals of queues, and returns the number of their lost events by name.
    private func saveTotals(of queues: [String: Totals]) throws -> [String: Int] {
        var queues = queues
        for id in try new.connection.rows("SELECT DISTINCT id >> 48 FROM events", read: { $0.int(0) }) {
            if queues.values.contains(where: { $0.id == id }) { continue }
            let name = try name(ofQueue: id, besides: queues)
            queues[name] = Totals(id: id, name: name)
        }
        return try queues.mapValues { old in
            var totals = Totals(id: old.id, name: old.name)
            let last = try new.connection.first(
                "SELECT count(*), coalesce(sum(length(visitor)), 0), max(id) FROM events WHERE id BETWEEN ? AND ?",
                EventIDs.first(of: old), EventIDs.last(of: old)
            ) { sums in
                (totals.count, totals.bytes) = (sums.int(0), sums.int(1))
                return sums.int(2)
            }
            // The ids of lost events are not reused: a removal of them may still be pending.
            totals.next = max(old.next, (last ?? 0) - EventIDs.first(of: old) + 1) + 1 << 20
            try new.insert(totals)
            return max(0, Int(old.count - totals.count))
        }
    }

    /// The name of a queue whose totals are lost: it may still be in the index.
    private func name(ofQueue id: Int64, besides queues: [String: Totals]) throws -> String {
        let user = try new.connection.text("SELECT name FROM users WHERE id = \(id)")
        let found = names[id, default: []].filter { ![user, Totals.users].contains($0) && queues[$0] == nil }
        let standard = GroupTable.standardQueue
        if found.contains(standard) || found.isEmpty && queues[standard] == nil { return standard }
        return found.min() ?? "unnamed queue \(id)"
    }
}

/// The saved and lost rows of a damaged file.
struct SalvageReport {
    /// The tables in the report. Their names are the words for their rows, too.
    static let tables = ["events", "users", "assignments", "settings", "datafiles"]

    /// How many events are known to be lost, by queue name.
    var lostEvents: [String: Int] = [:]
    /// The number of saved rows, by table.
    var saved: [String: Int] = [:]
    /// How many rows are known to be lost, by table; nil if that is unknown.
    var lost: [String: Int] = [:]

    /// The report as a sentence for the log.
    var text: String {
        let kept = Self.tables.filter { saved[$0, default: 0] > 0 }
        let gone = Self.tables.filter { lost[$0] != 0 }
        return "saved to a new file: \(Self.list(kept, saved)); lost: \(Self.list(gone, lost))"
    }

    private static func list(_ tables: [String], _ counts: [String: Int]) -> String {
        let parts = tables.map { table in
            guard let count = counts[table] else { return "an unknown number of \(table)" }
            return count == 1 ? "1 \(table.dropLast())" : "\(count) \(table)"
        }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }
}
