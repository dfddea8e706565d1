import LibC

/// The standard normal distribution.
package enum Normal {
    /// The probability of a value above `z`.
    package static func upperTail(_ z: Double) -> Double { erfc(z / 2.0.squareRoot()) / 2 }

    /// The value with a given probability of greater ones: -∞ for 1, and ∞ for 0.
    ///
    /// Newton's method for the logarithm of the tail. The logarithm is concave, and the start is never below the
    /// solution, because a tail is at most exp(-z²/2) / 2. So all steps go down.
    package static func quantile(upperTail p: Double) -> Double {
        guard p > 0, p < 1 else { return p.isNaN ? p : p > 0 ? -.infinity : .infinity }
        guard p <= 0.5 else { return -quantile(upperTail: 1 - p) }
        var z = (-2 * log(2 * p)).squareRoot()
        for _ in 0..<100 {
            let tail = upperTail(z)
            let step = log(tail / p) * tail / (exp(-z * z / 2) / (2 * Double.pi).squareRoot())
            guard step.isFinite, step < 0 else { break }
            z += step
        }
        return z
    }
}
