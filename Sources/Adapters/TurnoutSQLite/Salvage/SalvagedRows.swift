#if SQLite
    import TurnoutClient

    /// The readable rows of a damaged file, except for its events.
    struct SalvagedRows {
        struct User {
            let name: String
            let used: Int64
        }

        private(set) var queues: [Totals] = []
        /// The totals of users; nil if they cannot be read.
        private(set) var userTotals: Totals?
        private(set) var groups: [Int64: OutgoingEvent.Group] = [:]
        private(set) var rejected: [Int64: SQLiteRecord] = [:]
        private(set) var users: [Int64: User] = [:]
        private(set) var assignments: [Int64: [String: String]] = [:]
        private(set) var settings: [String: String] = [:]
        private(set) var datafiles: [String: DatafileCopy] = [:]
        /// The number of rows with damaged content.
        private(set) var badRows: [PageScan.Table: Int] = [:]
        /// Names in indexes, by row key. The row may be in any of three tables.
        private var indexedNames: [Int64: Set<String>] = [:]
        private var datafileKeys: [Int64: String] = [:]

        init(_ scan: PageScan?) {
            scan?.scan { row in if !add(row) { badRows[row.table, default: 0] += 1 } }
            addUsersOfIndex()
        }

        /// Adds a row. Returns false if it is damaged.
        private mutating func add(_ row: PageScan.Row) -> Bool {
            let record = row.record
            switch row.table {
            case .totals: return addTotals(row)
            case .groups: return addGroup(row)
            case .rejected: rejected[row.key] = record
            case .users:
                guard let name = record.text(1), let used = record.int(2) else { return false }
                users[row.key] = User(name: name, used: used)
            case .assignments:
                guard let user = record.int(0), let experiment = record.text(1), let variation = record.text(2)
                else { return false }
                assignments[user, default: [:]][experiment] = variation
            case .settings:
                guard let name = record.text(0), let value = record.text(1) else { return false }
                settings[name] = value
            case .datafiles: return addDatafile(row)
            case .events, .other:
                guard record.values.count == 2, let name = record.text(0), let key = record.int(1) else { return true }
                indexedNames[key, default: []].insert(name)
            }
            return true
        }

        private mutating func addTotals(_ row: PageScan.Row) -> Bool {
            let record = row.record
            guard let name = record.text(1), let count = record.int(2), let bytes = record.int(3),
                let next = record.int(4)
            else { return false }
            let totals = Totals(id: row.key, name: name, count: count, bytes: bytes, next: next)
            guard totals.checksum == record.int(5) else { return false }
            if name == Totals.users { userTotals = totals } else { queues.append(totals) }
            return true
        }

        private mutating func addGroup(_ row: PageScan.Row) -> Bool {
            let record = row.record
            guard let name = record.text(1), let region = Project.Region(rawValue: name),
                let envelope = record.text(2), let closing = record.text(3)
            else { return false }
            let group = OutgoingEvent.Group(
                region: region, envelope: envelope, closing: closing, address: record.text(4), key: record.text(5))
            guard SQLiteSession.checksum(of: group) == record.int(6) else { return false }
            groups[row.key] = group
            return true
        }

        private mutating func addDatafile(_ row: PageScan.Row) -> Bool {
            let record = row.record
            guard let key = record.text(0), let body = record.bytes(1) else { return false }
            datafileKeys[row.key] = key
            let copy = DatafileCopy(datafile: body, lastModified: record.text(2), entityTag: record.text(3))
            guard SQLiteSession.checksum(of: copy) == record.int(4) else { return false }
            datafiles[key] = copy
            return true
        }

        /// Adds users whose row is lost and whose name is still in an index.
        private mutating func addUsersOfIndex() {
            for (id, names) in indexedNames where users[id] == nil && assignments[id] != nil {
                let name = names.first { name in
                    !queues.contains { $0.id == id && $0.name == name } && datafileKeys[id] != name
                        && !(userTotals?.id == id && name == Totals.users)
                }
                // Their last use is in another index, which is not read; they are deleted first when space is needed.
                if let name { users[id] = User(name: name, used: 0) }
            }
        }

        /// The queue of an event. Adds one if its totals are lost.
        mutating func queue(ofEvent id: Int64) -> Totals {
            let queueID = id >> 48
            if let queue = queues.first(where: { $0.id == queueID }) { return queue }
            let taken = Set(queues.map(\.name))
            let indexed = indexedNames[queueID]?.filter { !taken.contains($0) && users[queueID]?.name != $0 }
            let standard = taken.contains(GroupTable.standardQueue) ? nil : GroupTable.standardQueue
            let name = standard.flatMap { indexed?.contains($0) == true ? $0 : nil } ?? indexed?.min() ?? standard
            let queue = Totals(id: queueID, name: name ?? "unnamed queue \(queueID)")
            queues.append(queue)
            unnumbered.insert(queue.name)
            return queue
        }

        /// Queues whose totals are lost, so the number of their events is unknown.
        private(set) var unnumbered: Set<String> = []
    }
#endif
