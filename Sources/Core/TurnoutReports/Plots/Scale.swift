/// A linear axis that begins and ends at round numbers: 1, 2 or 5 times a power of ten.
struct Scale: Sendable {
    /// The distance of two ticks.
    let step: Double
    let ticks: [Double]

    /// An axis for all of the values that can be drawn, and for zero.
    init(covering values: [Double]) {
        let drawn = values.filter { $0.magnitude < 1e15 } + [0]
        let (low, high) = (drawn.reduce(0, min), drawn.reduce(0, max))
        let target = max(high - low, 1e-9) / 5
        var power = 1.0
        while power > target { power /= 10 }
        while power * 10 <= target { power *= 10 }
        let step = low == high ? 1 : power * ([1, 2, 5].first { power * $0 >= target } ?? 10)
        self.step = step
        let first = Int((low / step).rounded(.down))
        ticks = (first...max(Int((high / step).rounded(.up)), first + 1)).map { Double($0) * step }
    }

    /// The labels of the ticks.
    func format(_ unit: NumberFormat.Unit, isSigned: Bool) -> NumberFormat {
        NumberFormat(unit, resolution: step, isSigned: isSigned, isShort: true)
    }

    /// Where a value is between both ends, from 0 to 1; nil if it cannot be drawn.
    func place(_ value: Double) -> Double? {
        let place = (value - ticks[0]) / (ticks[ticks.count - 1] - ticks[0])
        return (-1e-9...1 + 1e-9).contains(place) ? min(max(place, 0), 1) : nil
    }
}

extension Double {
    /// The part of a whole as an SVG attribute.
    var percent: String { "\((self * 10_000).rounded() / 100)%" }

    var thousandths: String { "\((self * 10_000).rounded() / 10)" }
}

extension Collection where Index == Int {
    /// At most `limit` of the elements, evenly spread, with the first one and the last one.
    func spread(over limit: Int) -> [Element] {
        guard count > limit, limit > 1 else { return Array(prefix(limit)) }
        return (0..<limit).map { self[startIndex + $0 * (count - 1) / (limit - 1)] }
    }
}
