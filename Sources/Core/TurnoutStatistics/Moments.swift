/// Sums over the visitors of an arm, from which the estimates of a metric follow.
package struct Moments: Sendable {
    /// The number of visitors, exact below 2^53.
    private(set) var count = 0.0
    /// The sum of the amounts, of their squares, and of their products with the companion.
    private var sum = ExactSum()
    private var squares = ExactSum()
    private var products = ExactSum()
    /// The same of the companion: of the denominator of a ratio, or of the number from before the first exposure.
    private var companionSum = ExactSum()
    private var companionSquares = ExactSum()

    package init() {}

    package mutating func add(_ amount: Double, with companion: Double = 0, visitors: Int) {
        let visitors = Double(visitors)
        count += visitors
        guard amount != 0 || companion != 0 else { return }
        sum.add(amount, times: visitors)
        squares.add(amount, times: amount, times: visitors)
        guard companion != 0 else { return }
        companionSum.add(companion, times: visitors)
        companionSquares.add(companion, times: companion, times: visitors)
        products.add(amount, times: companion, times: visitors)
    }

    /// The visitors of both.
    static func + (left: Moments, right: Moments) -> Moments {
        var both = left
        both.count += right.count
        both.sum = left.sum + right.sum
        both.squares = left.squares + right.squares
        both.products = left.products + right.products
        both.companionSum = left.companionSum + right.companionSum
        both.companionSquares = left.companionSquares + right.companionSquares
        return both
    }

    package var visitors: Int { Int(min(count, 0x1p62)) }
    package var mean: Double { sum.value / count }
    var companionTotal: Double { companionSum.value }
    var companionMean: Double { companionTotal / count }
    /// How many of the amount there are for one of the companion.
    var ratio: Double { sum.value / companionTotal }

    /// The variance of the amounts, with the divisor n - 1.
    package var variance: Double { covariance(squares, sum, sum) }
    var companionVariance: Double { covariance(companionSquares, companionSum, companionSum) }
    var covariance: Double { covariance(products, sum, companionSum) }

    /// (n Σab - Σa Σb) / (n (n - 1)). The numerator is exact before it is rounded, so equal numbers have no variance.
    private func covariance(_ products: ExactSum, _ a: ExactSum, _ b: ExactSum) -> Double {
        var scaled = ExactSum()
        for product in products.parts { scaled.add(product, times: count) }
        for x in a.parts {
            for y in b.parts { scaled.add(-x, times: y) }
        }
        return scaled.value / count / (count - 1)
    }
}
