import LibC

/// The chi-square distribution.
package enum ChiSquare {
    /// The probability of a value above `x`; 1 without degrees of freedom.
    ///
    /// The finite sums of M. Abramowitz and I. A. Stegun: *Handbook of Mathematical Functions* (1964), 26.4.4, 26.4.5.
    package static func upperTail(_ x: Double, degreesOfFreedom: Int) -> Double {
        guard x > 0 else { return x.isNaN ? x : 1 }
        guard x.isFinite else { return 0 }
        guard degreesOfFreedom > 0 else { return 1 }
        let half = x / 2
        let isOdd = degreesOfFreedom % 2 == 1
        let terms = stride(from: isOdd ? 0.5 : 1, to: Double(degreesOfFreedom) / 2, by: 1).map { power in
            exp(power * log(half) - half - lgamma(power + 1).0)
        }
        return terms.reduce(isOdd ? erfc(half.squareRoot()) : exp(-half), +)
    }
}
