/// How a quantity is written: `+3.2 %`, `1,240`, `−0.05`.
package struct NumberFormat: Sendable {
    /// A share, such as 0.032, is written in percent.
    package enum Unit: Sendable { case number, percent }

    private let factor: Double
    private let suffix: String
    private let decimals: Int
    private let isSigned: Bool

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - resolution: The difference that must be visible; it determines the decimals, of which there are at most six.
    ///   - isSigned: Whether numbers above zero have a sign. Default: no.
    ///   - isShort: Whether `2M` stands for 2,000,000, if the resolution allows it. Default: no.
    package init(_ unit: Unit, resolution: Double, isSigned: Bool = false, isShort: Bool = false) {
        (factor, suffix) =
            switch unit {
            case .percent: (100, " %")
            case .number where isShort && resolution >= 0.999e6: (1e-6, "M")
            case .number: (1, "")
            }
        var (rest, decimals) = (resolution * factor, 0)
        while rest < 0.999, decimals < 6 { (rest, decimals) = (rest * 10, decimals + 1) }
        (self.decimals, self.isSigned) = (decimals, isSigned)
    }

    /// The text of a number; `–` if it is none.
    package func text(_ number: Double) -> String {
        number.isFinite ? digits(number) + (number == 0 && factor < 1 ? "" : suffix) : "–"
    }

    /// The text of an interval: `+1.1 to +5.4 %`; `–` if it is none.
    package func text(from low: Double, to high: Double) -> String {
        low <= high && low.isFinite && high.isFinite ? "\(digits(low)) to \(digits(high))\(suffix)" : "–"
    }

    private func digits(_ number: Double) -> String {
        let power = (0..<decimals).reduce(1) { power, _ in power * 10 }
        let scaled = number * factor * Double(power)
        guard scaled.magnitude < 1e18 else { return "\(scaled / Double(power))" }
        let units = Int(scaled.rounded())
        let sign = units < 0 ? "−" : units > 0 && isSigned ? "+" : ""
        let (whole, part) = units.magnitude.quotientAndRemainder(dividingBy: UInt(power))
        return sign + Int(whole).grouped + (decimals > 0 ? ".\(String(power + Int(part)).dropFirst())" : "")
    }
}
