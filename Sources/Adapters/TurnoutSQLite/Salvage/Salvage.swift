#if SQLite
    import TurnoutClient

    /// Copies the readable contents of a damaged file to a new one. Pages are read one by one: through SQLite's b-trees
    /// one damaged page would hide all pages below it.
    final class Salvage {
        private let scan: PageScan?
        private let new: SQLiteSession
        private let removed: RemovedIDs
        private var rows: SalvagedRows
        private var report = SalvageReport()

        /// Prepares to save the contents of a file's pages; nil if there are none. Removed events are not saved,
        /// because damage may expose their remains.
        init(from image: PageImage?, besides removed: RemovedIDs, to new: SQLiteSession) {
            scan = image.map(PageScan.init)
            rows = SalvagedRows(scan)
            self.removed = removed
            self.new = new
        }

        /// Saves the readable contents.
        ///
        /// - Throws: The errors of writing to the new file.
        func run() throws -> SalvageReport {
            guard let scan else { return .nothing }
            try new.transaction {
                try saveEvents(scan)
                try saveRejected()
                try saveUsers()
                for (name, value) in rows.settings { try new.set(name, to: value) }
                for (key, copy) in rows.datafiles { try new.keep(copy, for: key) }
            }
            count(scan)
            return report
        }

        // MARK: Events

        private func saveEvents(_ scan: PageScan) throws {
            var sums: [Int64: (count: Int64, bytes: Int64, largest: Int64)] = [:]
            try scan.scanEvents { row in
                guard let event = event(row), !removed.contains(row.key) else { return }
                guard try new.add(StoredEvent(id: row.key, event: event)) else { return }
                var sum = sums[rows.queue(ofEvent: row.key).id] ?? (0, 0, 0)
                sum.count += 1
                sum.bytes += Int64(event.visitor.count)
                sum.largest = max(sum.largest, row.key)
                sums[row.key >> 48] = sum
            }
            report.lost[.events] = 0
            for queue in rows.queues {
                var totals = Totals(id: queue.id, name: queue.name)
                let sum = sums[queue.id] ?? (0, 0, 0)
                (totals.count, totals.bytes) = (sum.count, sum.bytes)
                // The ids of lost events are not reused: a removal of them may still be pending.
                totals.next = max(queue.next, sum.largest - EventIDs.first(of: queue) + 1) + 1 << 20
                try new.insert(totals)
                report.saved[.events, default: 0] += Int(totals.count)
                if rows.unnumbered.contains(queue.name) { continue }
                let lost = max(0, Int(queue.count - totals.count))
                report.lostEvents[queue.name] = lost
                report.lost[.events, default: 0] += lost
            }
        }

        /// The event of a row, or nil if it is damaged.
        private func event(_ row: PageScan.Row) -> OutgoingEvent? {
            let record = row.record
            guard let group = record.int(1), let visitor = record.bytes(4) else { return nil }
            let timestamp = record.int(2)
            let checksum = StoredEventRow.checksum(id: row.key, group: group, timestamp: timestamp, visitor: visitor)
            guard checksum == record.int(3), let group = rows.groups[group] else { return nil }
            return OutgoingEvent(group: group, visitor: visitor, timestamp: timestamp)
        }

        /// Saves refused events; damaged ones are useless.
        private func saveRejected() throws {
            for (_, record) in rows.rejected.sorted(by: { $0.key < $1.key }) where record.int(2) == 0 {
                guard let id = record.int(1), let group = record.int(3).flatMap({ rows.groups[$0] }),
                    let visitor = record.bytes(5)
                else { continue }
                let event = OutgoingEvent(group: group, visitor: visitor, timestamp: record.int(4))
                try new.insertRejected(StoredEvent(id: id, event: event))
            }
        }

        // MARK: Users

        private func saveUsers() throws {
            var totals = try new.totals(Totals.users)
            for (id, user) in rows.users.sorted(by: { ($0.value.used, $0.key) < ($1.value.used, $1.key) }) {
                let assignments = rows.assignments[id] ?? [:]
                try new.save(ProfileChange(userID: user.name, assignments: assignments), in: &totals)
                report.saved[.assignments, default: 0] += assignments.count
            }
            try new.save(totals)
            report.saved[.users] = Int(totals.count)
            if let count = rows.userTotals?.count { report.lost[.users] = max(0, Int(count - totals.count)) }
        }

        // MARK: Losses

        private func count(_ scan: PageScan) {
            report.saved[.settings] = rows.settings.count
            report.saved[.datafiles] = rows.datafiles.count
            let tables: [(SalvageReport.Kind, PageScan.Table)] = [
                (.assignments, .assignments), (.settings, .settings), (.datafiles, .datafiles),
            ]
            for (kind, table) in tables where !scan.damaged.contains(nil) && !scan.damaged.contains(table) {
                report.lost[kind] = scan.badCells[table, default: 0] + rows.badRows[table, default: 0]
            }
            for (user, assignments) in rows.assignments where rows.users[user] == nil {
                report.lost[.assignments]? += assignments.count
            }
            let hasTotals = rows.userTotals != nil || !rows.queues.isEmpty
            let lostTotals =
                scan.damaged.contains(.totals) || scan.damaged.contains(nil) && !hasTotals
                || scan.badCells[.totals] != nil || rows.badRows[.totals] != nil
            // A queue whose totals are lost may have lost all of its events.
            if lostTotals || !rows.unnumbered.isEmpty { report.lost[.events] = nil }
            if !lostTotals, rows.userTotals == nil { report.lost[.users] = 0 }
        }
    }

    /// The saved and lost contents of a damaged file.
    struct SalvageReport {
        enum Kind: CaseIterable {
            case events, users, assignments, settings, datafiles

            var name: (one: String, many: String) {
                switch self {
                case .events: ("event", "events")
                case .users: ("user", "users")
                case .assignments: ("assignment", "assignments")
                case .settings: ("setting", "settings")
                case .datafiles: ("datafile", "datafiles")
                }
            }
        }

        var saved: [Kind: Int] = [:]
        /// How many are known to be lost; nil if that is unknown.
        var lost: [Kind: Int] = [:]
        /// How many events are known to be lost, by queue name.
        var lostEvents: [String: Int] = [:]

        /// The report for a file without a readable page.
        static var nothing: SalvageReport { SalvageReport() }

        /// The report as a sentence for the log.
        var text: String {
            let kept = Kind.allCases.filter { saved[$0, default: 0] > 0 }.map { Self.text($0, saved[$0]) }
            let gone = Kind.allCases.filter { lost[$0] != 0 }.map { Self.text($0, lost[$0]) }
            return "saved to a new file: \(kept.isEmpty ? "nothing" : kept.joined(separator: ", ")); "
                + "lost: \(gone.isEmpty ? "nothing" : gone.joined(separator: ", "))"
        }

        private static func text(_ kind: Kind, _ count: Int?) -> String {
            guard let count else { return "an unknown number of \(kind.name.many)" }
            return "\(count) \(count == 1 ? kind.name.one : kind.name.many)"
        }
    }

    extension SQLiteSession {
        /// Adds an event under its id. Returns false if that is taken.
        fileprivate func add(_ entry: StoredEvent) throws(SQLiteError) -> Bool {
            let finding = try connection.statement("SELECT 1 FROM events WHERE id = ?")
            finding.bind(1, entry.id)
            if try finding.step() {
                finding.reset()
                return false
            }
            try insert(entry.event, id: entry.id)
            return true
        }

        /// Adds an event that its receiver refused.
        fileprivate func insertRejected(_ entry: StoredEvent) throws(SQLiteError) {
            let group = try id(of: entry.event.group)
            let statement = try connection.statement(
                #"INSERT INTO rejected(id, damaged, "group", timestamp, visitor) VALUES(?, 0, ?, ?, ?)"#)
            statement.bind(1, entry.id)
            statement.bind(2, group)
            statement.bind(3, entry.event.timestamp)
            statement.bind(4, entry.event.visitor)
            try statement.run()
        }
    }
#endif
