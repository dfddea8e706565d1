/// The variants of an experiment, and which part of the draws belongs to each.
///
/// They lie in the order of their names: a dictionary's own order differs from launch to launch, and a draw must not.
package struct RolloutVariants: Sendable, Equatable {
    private struct Part: Sendable, Equatable {
        let name: String
        /// The largest draw that is still the variant's.
        let end: Double
    }

    private let parts: [Part]
    /// The share of each variant, 0 to 1; empty if no variant has any weight.
    package let shares: [String: Double]
    /// All names, in order; those without weight, too.
    package let names: [String]

    /// Divides the draws by weight; a negative weight is none.
    package init(weights: [String: Double]) {
        names = weights.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let total = weights.values.reduce(0) { $0 + max($1, 0) }
        var (sum, parts, shares) = (0.0, [Part](), [String: Double]())
        for name in names where total > 0 && total.isFinite {
            let weight = max(weights[name] ?? 0, 0)
            sum += weight
            shares[name] = weight / total
            if weight > 0 { parts.append(Part(name: name, end: sum / total)) }
        }
        (self.parts, self.shares) = (parts, shares)
    }

    /// The variant of a draw; nil: no variant has any weight.
    package func pick(_ number: Double) -> String? {
        // What rounding leaves over is the last one's.
        (parts.first { number <= $0.end } ?? parts.last)?.name
    }

    /// Whether there is a variant of that name, with or without weight.
    package func contains(_ name: String) -> Bool { names.contains(name) }
}
