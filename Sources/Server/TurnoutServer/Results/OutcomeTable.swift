/// The events of a metric, added up for each visitor of a ``VisitorTable``. Sums are exact, whatever the order.
struct OutcomeTable {
    struct Sums {
        private var count = 0
        private var revenue: Int64 = 0
        /// In units of 2^-64.
        private var value: Int128 = 0

        mutating func add(revenue: Int64, value: Double) {
            count += 1
            if abs(Double(revenue)) <= Self.maximumAmount { self.revenue &+= revenue }
            // Conversions to 128 bits are slow, and most events have no value.
            if value != 0, abs(value) <= Self.maximumAmount { self.value &+= Int128(value * 0x1p64) }
        }

        private static let maximumAmount = 1e12

        var totals: ResultDistribution.Totals {
            var totals = ResultDistribution.Totals()
            (totals.count, totals.revenue, totals.value) = (count, revenue, value == 0 ? 0 : Double(value) * 0x1p-64)
            return totals
        }
    }

    /// The sums of a visitor.
    struct Entry {
        var before = Sums()
        var after = Sums()
    }

    /// The number of the entry at each place; 0 for none.
    private var numbers: [UInt32]
    private var entries: [Entry] = []

    /// Creates a table without events, for the places of a table of visitors.
    init(capacity: Int) { numbers = Array(repeating: 0, count: capacity) }

    /// The memory in bytes, with that of the rows.
    var size: Int {
        let row = MemoryLayout<ResultDistribution.OutcomeRow>.stride
        return numbers.count * 4 + entries.count * (MemoryLayout<Entry>.stride + row)
    }

    mutating func add(_ sums: WritableKeyPath<Entry, Sums>, at place: Int, revenue: Int64, value: Double) {
        if numbers[place] == 0 {
            entries.append(Entry())
            numbers[place] = UInt32(entries.count)
        }
        entries[Int(numbers[place]) - 1][keyPath: sums].add(revenue: revenue, value: value)
    }

    /// The sums at a place; nil if there are no events.
    func entry(at place: Int) -> Entry? { numbers[place] == 0 ? nil : entries[Int(numbers[place]) - 1] }
}
