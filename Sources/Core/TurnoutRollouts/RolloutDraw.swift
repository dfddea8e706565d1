/// What chance gave a device in an experiment, and which variant that was.
package struct RolloutDraw: Sendable, Equatable {
    /// The variant's name, or nil: only the number is known.
    package var variant: String?
    /// Above 0 and up to 1; nil: only the variant is known. What older versions of the vendor's library kept may be 0.
    package var number: Double?

    /// Creates a draw. A number that no draw has counts as none.
    package init(variant: String?, number: Double?) {
        self.variant = variant
        self.number = number.flatMap { (0...1).contains($0) ? $0 : nil }
    }

    /// One of a million numbers, 0.000001 to 1, from evenly spread bits.
    package static func number(from bits: UInt64) -> Double {
        Double(bits.multipliedFullWidth(by: 1_000_000).high + 1) / 1_000_000
    }
}
