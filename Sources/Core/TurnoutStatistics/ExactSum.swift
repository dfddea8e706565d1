import LibC

/// A sum of numbers without rounding, so that their order makes no difference.
///
/// The sum is kept in parts whose digits do not overlap, and is rounded once, when it is read (J. R. Shewchuk:
/// *Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates*, Discrete & Computational
/// Geometry 18 (1997), pages 305–363). A sum beyond the range of doubles is NaN.
package struct ExactSum: Sendable {
    /// Numbers of increasing size, whose sum is the sum.
    private(set) var parts: [Double] = []

    package init() {}

    package mutating func add(_ number: Double) {
        // Most products are exact: nothing is left to add.
        guard number != 0 else { return }
        var sum = number
        var kept = 0
        for index in parts.indices {
            let part = parts[index]
            let (larger, smaller) = abs(sum) < abs(part) ? (part, sum) : (sum, part)
            sum = larger + smaller
            let lost = smaller - (sum - larger)
            guard lost != 0 else { continue }
            parts[kept] = lost
            kept += 1
        }
        parts.removeLast(parts.count - kept)
        guard sum.isFinite else { return parts = [.nan] }
        if sum != 0 { parts.append(sum) }
    }

    /// Adds a product.
    package mutating func add(_ number: Double, times factor: Double) {
        let product = number * factor
        add(product)
        add((-product).addingProduct(number, factor))
    }

    /// Adds a product of three numbers.
    mutating func add(_ number: Double, times factor: Double, times count: Double) {
        let product = number * factor
        add(product, times: count)
        add((-product).addingProduct(number, factor), times: count)
    }

    static func + (left: ExactSum, right: ExactSum) -> ExactSum {
        right.parts.reduce(into: left) { $0.add($1) }
    }

    /// The sum, correctly rounded: the last part that counts decides when the ones before are half a unit.
    package var value: Double {
        guard var sum = parts.last else { return 0 }
        for index in parts.indices.dropLast().reversed() {
            let larger = sum
            sum += parts[index]
            let lost = parts[index] - (sum - larger)
            guard lost == 0 else {
                let doubled = sum + lost * 2
                let isHalf = doubled - sum == lost * 2
                return isHalf && index > 0 && (lost < 0) == (parts[index - 1] < 0) ? doubled : sum
            }
        }
        return sum
    }
}
