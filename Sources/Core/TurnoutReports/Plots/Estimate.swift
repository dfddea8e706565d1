/// A quantity, and the interval that it is in.
package struct Estimate: Sendable {
    let value: Double
    let low: Double
    let high: Double

    package init(_ value: Double, from low: Double, to high: Double) {
        (self.value, self.low, self.high) = (value, low, high)
    }

    func map<Place>(_ place: (Double) -> Place?) -> (value: Place, low: Place, high: Place)? {
        guard low <= high, let value = place(value), let low = place(low), let high = place(high) else { return nil }
        return (value, low, high)
    }
}

extension [Estimate] {
    /// A scale for those that can be drawn.
    var scale: Scale {
        Scale(covering: compactMap { $0.map { $0.isFinite ? $0 : nil } }.flatMap { [$0.value, $0.low, $0.high] })
    }

    /// A format that gives the narrowest interval two digits, and shows which intervals exclude zero.
    func format(_ unit: NumberFormat.Unit) -> NumberFormat {
        let widths = map { $0.high - $0.low }.filter { $0.isFinite && $0 > 0 }
        let ends = flatMap { [$0.low, -$0.high] }.filter { $0.isFinite && $0 > 0 }
        let resolution = Swift.min((widths.min() ?? scale.step) / 20, ends.min() ?? .infinity)
        return NumberFormat(unit, resolution: resolution, isSigned: true)
    }
}
