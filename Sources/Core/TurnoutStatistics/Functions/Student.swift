import LibC

/// Student's t-distribution. The degrees of freedom may have a fraction.
package enum Student {
    /// The probability of a value above `t`.
    package static func upperTail(_ t: Double, degreesOfFreedom: Double) -> Double {
        guard t >= 0 else { return t.isNaN ? t : 1 - upperTail(-t, degreesOfFreedom: degreesOfFreedom) }
        return beta(t, degreesOfFreedom).lowerTail / 2
    }

    /// The value with a given probability of greater ones: -∞ for 1, and ∞ for 0.
    ///
    /// Newton's method for the logarithms of value and tail, whose relation is nearly linear: the tail falls as a
    /// power. The start is the normal quantile, which is below the solution.
    package static func quantile(upperTail p: Double, degreesOfFreedom: Double) -> Double {
        guard p > 0, p < 1, p != 0.5 else { return Normal.quantile(upperTail: p) }
        guard p < 0.5 else { return -quantile(upperTail: 1 - p, degreesOfFreedom: degreesOfFreedom) }
        var t = Normal.quantile(upperTail: p)
        for _ in 0..<100 {
            let beta = beta(t, degreesOfFreedom)
            let tail = beta.lowerTail / 2
            // The density at t, multiplied by t, is that of the beta distribution at x, multiplied by x(1 - x).
            let step = log(tail / p) * tail / beta.scaledDensity
            guard step.isFinite else { break }
            t *= exp(step)
            if abs(step) < 1e-15 { break }
        }
        return t
    }

    /// The beta distribution in which the tail above `t` is half of a lower one.
    private static func beta(_ t: Double, _ degreesOfFreedom: Double) -> Beta {
        let square = t * t
        return Beta(
            degreesOfFreedom / 2, 0.5, at: 1 / (1 + square / degreesOfFreedom),
            complement: 1 / (1 + degreesOfFreedom / square))
    }
}
