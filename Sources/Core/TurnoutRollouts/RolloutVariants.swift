/// The variants of an experiment, and the range of draws of each.
///
/// Ranges are ordered by variant name: the order of a dictionary differs between launches, and the result of a draw
/// must not.
package struct RolloutVariants: Sendable, Equatable {
    private struct Part: Sendable, Equatable {
        let name: String
        /// The largest draw in the variant's range.
        let end: Double
    }

    private let parts: [Part]
    /// The share of each variant, 0 to 1; empty if no variant has any weight.
    package let shares: [String: Double]
    /// All names in order, including variants without weight.
    package let names: [String]

    /// Divides the draws by weight. Negative weights count as 0.
    package init(weights: [String: Double]) {
        names = weights.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var weights = weights.mapValues { max($0, 0) }
        var total = weights.values.reduce(0, +)
        if !total.isFinite, weights.values.allSatisfy(\.isFinite) {
            // Scaling by a power of two changes no share. Only needed if the sum overflows.
            weights = weights.mapValues { $0 * 0x1p-64 }
            total = weights.values.reduce(0, +)
        }
        var (sum, parts, shares) = (0.0, [Part](), [String: Double]())
        for name in names where total > 0 && total.isFinite {
            let weight = weights[name] ?? 0
            sum += weight
            shares[name] = weight / total
            if weight > 0 { parts.append(Part(name: name, end: sum / total)) }
        }
        (self.parts, self.shares) = (parts, shares)
    }

    /// The variant of a draw, or nil if no variant has any weight.
    package func pick(_ number: Double) -> String? {
        // Draws beyond the last range, due to rounding, belong to the last variant.
        (parts.first { number <= $0.end } ?? parts.last)?.name
    }

    /// Whether there is a variant with a name, with or without weight.
    package func contains(_ name: String) -> Bool { names.contains(name) }
}

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
