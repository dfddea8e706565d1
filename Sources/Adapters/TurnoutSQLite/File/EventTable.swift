import TurnoutClient
import TurnoutEngine

/// The ids of a queue's events.
struct EventIDs {
    /// The first id of events that are in memory only; larger than all ids in the file.
    static let inMemory = StoredEvent.firstTemporaryID

    static func first(of queue: Totals) -> Int64 { queue.id << 48 }
    static func last(of queue: Totals) -> Int64 { (queue.id + 1) << 48 - 1 }
    static func next(in queue: Totals) -> Int64 { queue.id << 48 + queue.next }
}

/// A row as it was read.
struct StoredEventRow {
    let id: Int64
    let group: Int64
    let timestamp: Int64?
    let visitor: [UInt8]
    let checksum: Int64

    static func checksum(id: Int64, group: Int64, timestamp: Int64?, visitor: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(id)
        sum.add(group)
        sum.add(timestamp ?? .min)
        sum.add(visitor)
        return sum.value
    }

    var isDamaged: Bool {
        checksum != Self.checksum(id: id, group: group, timestamp: timestamp, visitor: visitor)
    }

    static let columns = #"id, "group", timestamp, checksum, visitor"#

    init(_ row: Statement) {
        id = row.int(0)
        group = row.int(1)
        timestamp = row.isNull(2) ? nil : row.int(2)
        checksum = row.int(3)
        visitor = row.bytes(4)
    }
}

extension SQLiteSession {
    // MARK: Adding

    /// Adds an event, and counts it. Must be called in a transaction.
    func insert(_ event: OutgoingEvent, into queue: inout Totals) throws(SQLiteError) -> Int64 {
        let id = EventIDs.next(in: queue)
        if removed.contains(id) { throw .damage("the totals are older than the events", file: connection.path) }
        try insert(event, id: id)
        queue.next += 1
        queue.count += 1
        queue.bytes += Int64(event.visitor.count)
        return id
    }

    func insert(_ event: OutgoingEvent, id: Int64) throws(SQLiteError) {
        let group = try self.id(of: event.group)
        let statement = try connection.statement(
            #"INSERT INTO events(id, "group", timestamp, checksum, visitor) VALUES(?, ?, ?, ?, ?)"#)
        statement.bind(1, id)
        statement.bind(2, group)
        statement.bind(3, event.timestamp)
        statement.bind(
            4, StoredEventRow.checksum(id: id, group: group, timestamp: event.timestamp, visitor: event.visitor))
        statement.bind(5, event.visitor)
        try statement.run()
    }

    // MARK: Reading

    /// Events in the order of their ids, and the ids of damaged rows among them.
    ///
    /// - Throws: ``SQLiteError``, including if the rows are not in order, which means damage.
    func events(
        from first: Int64, to last: Int64, count: Int, descending: Bool = false, besides: Set<Int64> = []
    ) throws(SQLiteError) -> (good: [StoredEvent], damaged: [Int64]) {
        let order = descending ? "DESC" : "ASC"
        let statement = try connection.statement(
            "SELECT \(StoredEventRow.columns) FROM events WHERE id BETWEEN ? AND ? ORDER BY id \(order)")
        statement.bind(1, first)
        statement.bind(2, last)
        defer { statement.reset() }
        var found: (good: [StoredEvent], damaged: [Int64]) = ([], [])
        var previous: Int64?
        while found.good.count < count, try statement.step() {
            let row = StoredEventRow(statement)
            if let previous, descending ? row.id >= previous : row.id <= previous {
                throw .damage("events are out of order", file: connection.path)
            }
            previous = row.id
            if removed.contains(row.id) { throw .damage("removed events have reappeared", file: connection.path) }
            if besides.contains(row.id) { continue }
            if !row.isDamaged, let group = try group(row.group) {
                let event = OutgoingEvent(group: group, visitor: row.visitor, timestamp: row.timestamp)
                found.good.append(StoredEvent(id: row.id, event: event))
            } else {
                found.damaged.append(row.id)
            }
        }
        return found
    }

    /// The oldest events of a queue after an id, besides some. Damaged ones are moved to the rejected ones. Nil if
    /// the file does not know the queue.
    func oldest(
        _ count: Int, after id: Int64, of name: String, besides removed: Set<Int64>, keepingRejected limit: Int
    ) throws -> (events: [StoredEvent], damaged: Int, totals: Totals)? {
        // In one snapshot: another writer in between would make the counts differ from the rows.
        let seen = try snapshot {
            try existingTotals(name).map { totals in
                let (first, last) = (EventIDs.first(of: totals), EventIDs.last(of: totals))
                // Beyond the last id the range is empty, not reversed.
                let start = id < last ? max(first, id + 1) : last + 1
                return (totals, try events(from: start, to: last, count: count, besides: removed))
            }
        }
        guard case (var totals, let found)? = seen else { return nil }
        let sum = found.good.count + found.damaged.count + removed.count
        if id < EventIDs.first(of: totals), found.good.count < count, Int(totals.count) != sum {
            throw SQLiteError.damage("\(totals.count) events expected, others found", file: connection.path)
        }
        if !found.damaged.isEmpty {
            try transaction {
                totals = try self.totals(name)
                let before = totals.count
                try reject(found.damaged, of: &totals, damaged: true, keeping: limit)
                guard totals.count < before else {
                    throw SQLiteError.damage("damaged events cannot be removed", file: connection.path)
                }
                try save(totals)
            }
        }
        return (found.good, found.damaged.count, totals)
    }

    // MARK: Removing

    /// Removes events of a queue, and updates its totals. Must be called in a transaction.
    func remove(_ ids: [Int64], from queue: inout Totals) throws(SQLiteError) {
        let range = EventIDs.first(of: queue)...EventIDs.last(of: queue)
        var rest = ids.filter(range.contains).sorted()[...]
        while let first = rest.first {
            var last = first
            while let next = rest.first, next <= last + 1 {
                last = next
                rest.removeFirst()
            }
            // Ids are consecutive, so a removal is nearly always a single range.
            try remove(first...last, from: &queue)
        }
    }

    @discardableResult
    private func remove(_ ids: ClosedRange<Int64>, from queue: inout Totals) throws(SQLiteError) -> Int64 {
        // Including ids without rows: in that case the table is damaged already.
        removed.add(ids)
        let sizes = try connection.first(
            "SELECT count(*), coalesce(sum(length(visitor)), 0) FROM events WHERE id BETWEEN ? AND ?", ids.lowerBound,
            ids.upperBound
        ) { (count: $0.int(0), bytes: $0.int(1)) }
        guard let (count, bytes) = sizes, count > 0 else { return 0 }
        try connection.run("DELETE FROM events WHERE id BETWEEN ? AND ?", ids.lowerBound, ids.upperBound)
        queue.count -= count
        queue.bytes -= bytes
        return count
    }

    /// Removes the oldest events until the rest are within the limits. Returns how many were removed.
    func trim(_ queue: inout Totals, to limits: SQLiteOptions) throws(SQLiteError) -> Int {
        var removed = 0
        while queue.count > 0, queue.count > limits.maximumEvents || queue.bytes > limits.maximumBytes {
            let excess = max(1, min(1_000, queue.count - Int64(limits.maximumEvents)))
            let first = EventIDs.first(of: queue)
            let last = try connection.number(
                "SELECT max(id) FROM (SELECT id FROM events WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)", first,
                EventIDs.last(of: queue), excess)
            let count = try remove(first...max(first, last), from: &queue)
            guard count > 0 else { throw .damage("fewer events than counted", file: connection.path) }
            removed += Int(count)
        }
        return removed
    }

    // MARK: Rejecting

    /// Moves events to the rejected ones. Must be called in a transaction.
    func reject(_ ids: [Int64], of queue: inout Totals, damaged: Bool, keeping limit: Int) throws(SQLiteError) {
        for id in ids.suffix(limit) {
            try connection.run(
                """
                INSERT INTO rejected(id, damaged, "group", timestamp, visitor)
                SELECT id, ?, "group", timestamp, visitor FROM events WHERE id = ?
                """, Int64(damaged ? 1 : 0), id)
        }
        try connection.run(
            "DELETE FROM rejected WHERE number <= (SELECT max(number) FROM rejected) - ?", Int64(limit))
        try remove(ids, from: &queue)
    }

    /// Deletes the rejected events of a user, or of all users if nil. Must be called in a transaction.
    func forgetRejected(of userID: String?) throws(SQLiteError) {
        guard let userID else { return try connection.run("DELETE FROM rejected") }
        let numbers = try connection.rows("SELECT number, visitor FROM rejected") {
            Self.names(userID, in: $0.bytes(1)) ? $0.int(0) : nil
        }
        for number in numbers.compactMap(\.self) {
            try connection.run("DELETE FROM rejected WHERE number = ?", number)
        }
    }

    /// Whether an event contains a user id. Each kind of event has it in a different place.
    private static func names(_ userID: String, in visitor: [UInt8]) -> Bool {
        guard let event = try? JSONValue(parsing: visitor) else {
            // A damaged one.
            return String(decoding: visitor, as: UTF8.self).contains(userID)
        }
        var rest = [event]
        while let value = rest.popLast() {
            switch value {
            case .string(let text): if text.utf8.elementsEqual(userID.utf8) { return true }
            case .array(let values): rest += values
            case .object(let members): rest += members.values
            default: break
            }
        }
        return false
    }

    /// The events of a queue that their receivers refused, oldest first.
    func rejected(of queue: Totals) throws(SQLiteError) -> [StoredEvent] {
        let rows = try connection.rows(
            """
            SELECT id, "group", timestamp, 0, visitor FROM rejected
            WHERE id BETWEEN ? AND ? AND NOT damaged ORDER BY number
            """, EventIDs.first(of: queue), EventIDs.last(of: queue), read: StoredEventRow.init)
        var events: [StoredEvent] = []
        for row in rows {
            guard let group = try group(row.group) else { continue }
            let event = OutgoingEvent(group: group, visitor: row.visitor, timestamp: row.timestamp)
            events.append(StoredEvent(id: row.id, event: event))
        }
        return events
    }
}
