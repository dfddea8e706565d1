import TurnoutSQLite

/// Remembers which shared texts are in the file, so that most events do not look. Bounded: a full set is emptied.
struct KnownTexts {
    private static let maximumCount = 200_000

    var sources: Set<Int64> = []
    var arms: Set<Int64> = []
    var goals: Set<Int64> = []
    var visitors: Set<Int64> = []
    var attributes: Set<Int64> = []
    /// The days whose tables exist.
    var days: Set<Int64> = []
    private var day: Int64 = 0

    /// Whether a text was not seen on a day. Each day the first one updates the time of the last event.
    mutating func isNew(
        _ id: Int64, on day: Int64, _ set: WritableKeyPath<KnownTexts, Set<Int64>>
    ) -> Bool {
        if day > self.day {
            self.day = day
            visitors.removeAll(keepingCapacity: true)
            attributes.removeAll(keepingCapacity: true)
        }
        if self[keyPath: set].count >= Self.maximumCount { self[keyPath: set].removeAll(keepingCapacity: true) }
        return self[keyPath: set].insert(id).inserted
    }

    /// The number of a combination of texts, which is written if it is not known.
    mutating func id(
        of texts: [EventText], _ number: Int64?, in rows: EventRows,
        _ set: WritableKeyPath<KnownTexts, Set<Int64>>, _ statement: () throws -> Statement
    ) throws -> Int64 {
        let id = rows.hash(of: texts, number).value
        guard isNew(id, on: 0, set) else { return id }
        let statement = try statement()
        statement.bind(1, id)
        for (index, text) in texts.enumerated() { rows.bind(text, to: Int32(index + 2), of: statement) }
        if set == \.arms { statement.bind(Int32(texts.count + 2), number) }
        try statement.run()
        return id
    }
}
