/// The events of a metric, added up for each visitor of a ``VisitorTable``. Sums are exact, whatever the order.
struct OutcomeTable {
    struct Sums {
        private var count = 0
        private var revenue: Int64 = 0
        /// The value, rounded down, and the rest in units of 2^-64. Conversions of
        /// `Int128` took a fifth of the time of results.
        private var (whole, rest): (Int64, UInt64) = (0, 0)

        mutating func add(revenue: Int64, value: Double) {
            count += 1
            if abs(Double(revenue)) <= Self.maximumAmount { self.revenue &+= revenue }
            if abs(value) <= Self.maximumAmount { add(value) }
        }

        private mutating func add(_ value: Double) {
            let size = UInt64(value.magnitude)
            let part = UInt64((value.magnitude - Double(size)) * 0x1p64)
            let sum = value < 0 ? rest.subtractingReportingOverflow(part) : rest.addingReportingOverflow(part)
            let change = Int64(size) + (sum.overflow ? 1 : 0)
            whole &+= value < 0 ? -change : change
            rest = sum.partialValue
        }

        private static let maximumAmount = 1e12

        var totals: ResultDistribution.Totals {
            var totals = ResultDistribution.Totals()
            (totals.count, totals.revenue) = (count, revenue)
            totals.value = roundedValue
            return totals
        }

        /// The number that is nearest to the value.
        private var roundedValue: Double {
            // Most events have no value.
            guard (whole, rest) != (0, 0) else { return 0 }
            let isNegative = whole < 0
            let part = isNegative ? 0 &- rest : rest
            let size = isNegative ? UInt64(bitPattern: ~whole) &+ (rest == 0 ? 1 : 0) : UInt64(bitPattern: whole)
            // The first 64 bits, of which the last one stands for those after them, too.
            let shift = size.leadingZeroBitCount
            let bits = size << shift | part >> (64 - shift) | (part << shift == 0 ? 0 : 1)
            let value = Double(sign: .plus, exponent: -shift, significand: Double(bits))
            return isNegative ? -value : value
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

    mutating func add(isBefore: Bool, at place: Int, revenue: Int64, value: Double) {
        if numbers[place] == 0 {
            entries.append(Entry())
            numbers[place] = UInt32(entries.count)
        }
        let number = Int(numbers[place]) - 1
        if isBefore {
            entries[number].before.add(revenue: revenue, value: value)
        } else {
            entries[number].after.add(revenue: revenue, value: value)
        }
    }

    /// The sums at a place; nil if there are no events.
    func entry(at place: Int) -> Entry? { numbers[place] == 0 ? nil : entries[Int(numbers[place]) - 1] }
}
