#if SQLite
    import TurnoutClient

    /// Copies what SQL can read of a damaged file to a new one. Each table is read from both ends; where both meet
    /// damage, each half of the ids between them is read in the same way.
    ///
    /// Rows below a damaged interior page, and all rows of a file whose header or schema is damaged, cannot be read.
    /// They are still in the damaged file, which is kept.
    struct Salvage {
        /// The number of unreadable ranges of ids after which no more are divided: ids may reach far beyond the last
        /// row, and an interior page may hide thousands.
        private static let failureLimit = 20_000

        private let old: SQLiteConnection
        private let new: SQLiteSession
        private let removed: RemovedIDs

        /// Prepares to copy rows. Removed events are not copied, because damage may expose their remains.
        init(from old: SQLiteConnection, besides removed: RemovedIDs, to new: SQLiteSession) {
            (self.old, self.removed, self.new) = (old, removed, new)
        }

        /// Copies the readable rows.
        ///
        /// - Throws: The errors of writing to the new file.
        func run() throws -> SalvageReport {
            try new.transaction {
                for table in ["groups", "rejected", "datafiles"] { try copy(table) }
                // Names cannot be divided: the condition holds for all rows, and `ORDER BY 1` means the first column.
                try copy("settings", by: "1", in: 1...1)
                try copy("events") { row in
                    let event = StoredEventRow(row)
                    return try !event.isDamaged && !removed.contains(event.id) && new.group(event.group) != nil
                }
                // A damaged time of use must not exhaust the counter of uses.
                try copy("users") { (0..<1 << 48).contains($0.int(2)) }
                try copy("assignments", by: "user")
                try new.connection.run("DELETE FROM assignments WHERE user NOT IN (SELECT id FROM users)")
                return try count()
            }
        }

        // MARK: Rows

        /// Copies rows from both ends of a range of ids, then from both ends of each half of what is between them.
        private func copy(
            _ table: String, by key: String = "rowid", in ids: ClosedRange<Int64> = 1...Int64.max,
            where isIntact: (Statement) throws -> Bool = { _ in true }
        ) throws {
            var (rest, failures) = ([ids], 0)
            while failures < Self.failureLimit, let ids = rest.popLast() {
                guard let low = try copy(table, key, ids, "ASC", isIntact),
                    let high = try copy(table, key, low...ids.upperBound, "DESC", isIntact)
                else { continue }
                failures += 1
                guard low < high else { continue }
                let middle = low + (high - low) / 2
                // The lower half is next: the upper one may have no rows.
                rest += [middle + 1...high, low...middle]
            }
        }

        /// Copies rows in one direction. Returns the id at which damage ended the reading; nil if it ended by itself.
        private func copy(
            _ table: String, _ key: String, _ ids: ClosedRange<Int64>, _ order: String,
            _ isIntact: (Statement) throws -> Bool
        ) throws -> Int64? {
            let count = try new.connection.statement("SELECT * FROM \(table)").columnCount
            let places = repeatElement("?", count: Int(count)).joined(separator: ", ")
            let insert = try new.connection.statement("INSERT OR IGNORE INTO \(table) VALUES(\(places))")
            var id = order == "ASC" ? ids.lowerBound : ids.upperBound
            do {
                let row = try old.statement(
                    "SELECT *, \(key) FROM \(table) WHERE \(key) BETWEEN ? AND ? ORDER BY \(key) \(order)")
                row.bind(1, ids.lowerBound)
                row.bind(2, ids.upperBound)
                defer { row.reset() }
                while try row.step() {
                    guard row.columnCount == count + 1, ids.contains(row.int(count)) else { return id }
                    id = row.int(count)
                    guard try !row.isNull(0) && isIntact(row) else { continue }
                    for column in 0..<count { insert.bind(column + 1, column, of: row) }
                    try insert.run()
                }
                return nil
            } catch let error as SQLiteError where error.file == old.path {
                return id
            }
        }

        // MARK: Counts

        /// Saves the totals of what was copied, and compares them with those of the damaged file.
        private func count() throws -> SalvageReport {
            var totals = try oldTotals()
            let isComplete = rowCount("totals") == totals.count
            let users = totals.removeValue(forKey: Totals.users)
            var report = SalvageReport(lostEvents: try saveTotals(of: totals))
            try saveTotals(ofUsers: users)
            for table in SalvageReport.tables {
                var before = rowCount(table)
                if table == "events", isComplete { before = totals.values.reduce(0) { $0 + Int($1.count) } }
                if table == "users", isComplete || users != nil { before = Int(users?.count ?? 0) }
                let saved = Int(try new.connection.number("SELECT count(*) FROM \(table)"))
                report.saved[table] = saved
                report.lost[table] = before.map { max(0, $0 - saved) }
            }
            return report
        }

        /// The number of rows in a table of the damaged file; nil if damage hides some.
        private func rowCount(_ table: String) -> Int? {
            guard (try? old.text("PRAGMA quick_check('\(table)')")) == "ok" else { return nil }
            return (try? old.number("SELECT count(*) FROM \(table)")).map { Int($0) }
        }

        /// The intact totals of the damaged file, by name.
        private func oldTotals() throws -> [String: Totals] {
            var found: [String: Totals] = [:]
            try copy("totals") { row in
                let totals = Totals(
                    id: row.int(0), name: row.text(1), count: row.int(2), bytes: row.int(3), next: row.int(4))
                if totals.checksum == row.int(5) { found[totals.name] = totals }
                return false
            }
            return found
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
            let finding = try new.connection.statement("SELECT DISTINCT id >> 48 FROM events")
            while try finding.step() {
                let id = finding.int(0)
                if queues.values.contains(where: { $0.id == id }) { continue }
                let name = name(ofQueue: id, besides: queues)
                queues[name] = Totals(id: id, name: name)
            }
            return try queues.mapValues { old in
                let sums = try new.connection.statement(
                    "SELECT count(*), coalesce(sum(length(visitor)), 0), max(id) FROM events WHERE id BETWEEN ? AND ?")
                sums.bind(1, EventIDs.first(of: old))
                sums.bind(2, EventIDs.last(of: old))
                _ = try sums.step()
                var totals = Totals(id: old.id, name: old.name, count: sums.int(0), bytes: sums.int(1))
                // The ids of lost events are not reused: a removal of them may still be pending.
                totals.next = max(old.next, sums.int(2) - EventIDs.first(of: old) + 1) + 1 << 20
                sums.reset()
                try new.insert(totals)
                return max(0, Int(old.count - totals.count))
            }
        }

        /// The name of a queue whose totals are lost: it may still be in the index.
        private func name(ofQueue id: Int64, besides queues: [String: Totals]) -> String {
            let sql = "SELECT name FROM totals INDEXED BY sqlite_autoindex_totals_1 WHERE id = \(id)"
            let names = [(try? old.text(sql)) ?? "", GroupTable.standardQueue]
            return names.first { !["", Totals.users].contains($0) && queues[$0] == nil } ?? "unnamed queue \(id)"
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
#endif
