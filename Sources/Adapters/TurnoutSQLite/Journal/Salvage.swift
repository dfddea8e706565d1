#if SQLite
    import TurnoutClient

    /// Carries what can still be read from a damaged file to a new one.
    final class Salvage {
        private let old: Session?
        private let new: Session
        private let removed: RemovedIDs
        private var savedCount = 0
        private var lost: [String: Int] = [:]
        /// Walks that may still be started: each ends at damage, and splits what it did not reach.
        private var walksLeft = 400

        /// Prepares to save what a connection can read; nil: nothing. Events that were removed are not saved: what is
        /// damaged may lead to what they left behind.
        init(from old: SQLiteConnection?, besides removed: RemovedIDs, to new: Session) {
            self.old = old.map { Session(salvaging: $0) }
            self.new = new
            self.removed = removed
        }

        /// Saves what can be saved.
        ///
        /// - Returns: How many events were saved, and how many are known to be lost.
        /// - Throws: What writing to the new file throws.
        func run() throws -> (saved: Int, byQueue: [String: Int]) {
            guard let old else { return (0, [:]) }
            old.connection.wait(milliseconds: 1_000)
            // Other processes that still have the damaged file open shall not write to it any more.
            try? old.connection.run("PRAGMA writable_schema = ON; BEGIN IMMEDIATE")
            try new.transaction {
                try saveQueues(from: old)
                try saveUsers(from: old)
                try saveSmallTables(from: old)
            }
            return (savedCount, lost)
        }

        // MARK: Events

        private func saveQueues(from old: Session) throws {
            var queues: [Totals] = []
            for name in names(of: old) where name != Totals.users {
                if let totals = (try? old.existingTotals(name)) ?? nil { queues.append(totals) }
            }
            // Without its totals the standard queue is still known to be the first.
            if !queues.contains(where: { $0.name == SQLiteStorage.standardQueue }) {
                let id = (Int64(1)...1_000).first { id in !queues.contains { $0.id == id } } ?? 1
                queues.append(Totals(id: id, name: SQLiteStorage.standardQueue))
            }
            for queue in queues { try save(queue, from: old) }
        }

        private func names(of old: Session) -> [String] {
            guard let statement = try? old.connection.statement("SELECT name FROM totals ORDER BY id")
            else { return [] }
            var names: [String] = []
            while (try? statement.step()) == true { names.append(statement.text(0)) }
            statement.reset()
            return names
        }

        private func save(_ queue: Totals, from old: Session) throws {
            var totals = Totals(id: queue.id, name: queue.name)
            var largest: Int64 = 0
            let last = queue.next > 1 ? EventIDs.next(in: queue) : EventIDs.last(of: queue)
            try walk(from: old, EventIDs.first(of: queue), last) { entry in
                guard !removed.contains(entry.id), try new.add(entry) else { return }
                totals.count += 1
                totals.bytes += Int64(entry.event.visitor.count)
                largest = max(largest, entry.id)
            }
            // Somebody may still be about to remove events that were lost, so their ids are not given to others.
            totals.next = max(queue.next, largest - EventIDs.first(of: queue) + 1) + 1 << 20
            try new.insert(totals)
            savedCount += Int(totals.count)
            lost[queue.name] = max(0, Int(queue.count - totals.count))
        }

        /// Walks upwards and downwards as far as possible, then the same between the two ends.
        private func walk(
            from old: Session, _ first: Int64, _ last: Int64, _ save: (StoredEvent) throws -> Void
        ) throws {
            guard first <= last, walksLeft > 0 else { return }
            walksLeft -= 1
            let up = try walkOnce(old, first, last, descending: false, save)
            guard let reached = up else { return }
            let down = try walkOnce(old, reached, last, descending: true, save)
            guard let end = down, reached < end else { return }
            let middle = reached + (end - reached) / 2
            guard middle > reached, middle < end else { return }
            // Rows are dense where ids are small, so both halves are worth a try while tries are left.
            try walk(from: old, reached, middle, save)
            try walk(from: old, middle + 1, end, save)
        }

        /// Walks in one direction.
        ///
        /// - Returns: Where damage ended the walk: the next id to look at; nil: it got to the end.
        private func walkOnce(
            _ old: Session, _ first: Int64, _ last: Int64, descending: Bool, _ save: (StoredEvent) throws -> Void
        ) throws -> Int64? {
            var (low, high) = (first, last)
            while low <= high {
                do {
                    let found = try old.events(from: low, to: high, count: 1, descending: descending)
                    let ids = found.good.map(\.id) + found.damaged
                    guard let farthest = descending ? ids.min() : ids.max() else { return nil }
                    for entry in found.good { try save(entry) }
                    // Damaged ids may be any number; a walk only ever gets on.
                    guard (low...high).contains(farthest) else { return descending ? high - 1 : low + 1 }
                    if descending { high = farthest - 1 } else { low = farthest + 1 }
                } catch let error as SQLiteError where error.file == old.connection.path {
                    return descending ? high : low
                }
            }
            return nil
        }

        // MARK: Everything else

        private func saveUsers(from old: Session) throws {
            var totals = try new.totals(Totals.users)
            for direction in ["ASC", "DESC"] {
                guard let rows = try? old.connection.statement("SELECT name, used FROM users ORDER BY id \(direction)")
                else { return }
                while (try? rows.step()) == true {
                    let name = rows.text(0)
                    guard try new.profile(of: name) == nil else { continue }
                    guard let profile = try? old.profile(of: name) else { continue }
                    try new.remember(ProfileChange(userID: name, assignments: profile.assignments), in: &totals)
                }
                rows.reset()
            }
            try new.save(totals)
        }

        private func saveSmallTables(from old: Session) throws {
            if let rows = try? old.connection.statement("SELECT name, value FROM settings") {
                while (try? rows.step()) == true { try new.set(rows.text(0), to: rows.text(1)) }
                rows.reset()
            }
            guard let rows = try? old.connection.statement("SELECT key FROM datafiles") else { return }
            var keys: [String] = []
            while (try? rows.step()) == true { keys.append(rows.text(0)) }
            rows.reset()
            for key in keys {
                if let copy = try? old.copy(for: key) { try new.keep(copy, for: key) }
            }
        }
    }

    extension Session {
        /// Adds an event under its id. False: it is there already.
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
    }
#endif
