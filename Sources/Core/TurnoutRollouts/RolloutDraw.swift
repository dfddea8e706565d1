/// The random number and the variant of a device in an experiment.
package struct RolloutDraw: Sendable, Equatable {
    /// The variant's name, or nil if only the number is known.
    package var variant: String?
    /// Above 0 and up to 1; nil if only the variant is known. Draws stored by older versions of the vendor's library
    /// may be 0.
    package var number: Double?

    /// Creates a draw. A number outside 0 to 1 is ignored.
    package init(variant: String?, number: Double?) {
        self.variant = variant
        self.number = number.flatMap { (0...1).contains($0) ? $0 : nil }
    }

    /// One of a million numbers, 0.000001 to 1, from uniformly distributed bits.
    package static func number(from bits: UInt64) -> Double {
        Double(bits.multipliedFullWidth(by: 1_000_000).high + 1) / 1_000_000
    }
}
