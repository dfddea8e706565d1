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

/// The beta distribution at one value.
package struct Beta: Sendable {
    private let a: Double
    private let b: Double
    private let x: Double
    private let y: Double

    /// Chooses a distribution and a value.
    ///
    /// - Parameters:
    ///   - a: The first parameter, above 0.
    ///   - b: The second parameter, above 0.
    ///   - x: The value, between 0 and 1.
    ///   - y: 1 - `x`, which has more digits if the caller computes it.
    package init(_ a: Double, _ b: Double, at x: Double, complement y: Double) {
        (self.a, self.b, self.x, self.y) = (a, b, x, y)
    }

    /// The probability of a value below `x`: the regularized incomplete beta function.
    package var lowerTail: Double {
        guard x > 0 else { return x.isNaN ? x : 0 }
        guard y > 0 else { return y.isNaN ? y : 1 }
        if x > (a + 1) / (a + b + 2) { return 1 - Beta(b, a, at: y, complement: x).lowerTail }
        return scaledDensity / fraction
    }

    /// The density at `x`, multiplied by `x` and by 1 - `x`.
    package var scaledDensity: Double {
        let logX = x < 0.5 ? log(x) : log1p(-y)
        let logY = y < 0.5 ? log(y) : log1p(-x)
        return exp(a * logX + b * logY - Gamma.logBeta(a, b))
    }

    /// The continued fraction of the function, which converges fast below the mean (A. R. DiDonato and A. H. Morris:
    /// *Algorithm 708*, ACM Transactions on Mathematical Software 18 (1992), pages 360–373), by Lentz's method
    /// (I. J. Thompson and A. R. Barnett: *Coulomb and Bessel Functions of Complex Arguments and Order*, Journal of
    /// Computational Physics 64 (1986), pages 490–509).
    private var fraction: Double {
        // Of two equal expressions, the one without a difference of large numbers.
        let excess = x < y ? a - (a + b) * x : (a + b) * y - b
        var value = a / (a + 1) * (excess + 1)
        var (c, d) = (value, 0.0)
        for step in 1...10_000 {
            let n = Double(step)
            let middle = a + 2 * n - 1
            let numerator = (a + n - 1) / middle * ((a + b + n - 1) / middle) * n * (b - n) * x * x
            let denominator =
                n + n * (b - n) * x / middle + (a + n) / (middle + 2) * (excess + 1 + n * (1 + y))
            d = 1 / (denominator + numerator * d)
            c = denominator + numerator / c
            value *= c * d
            if abs(c * d - 1) < 3e-16 { break }
        }
        return value
    }
}

/// The logarithm of the gamma function, and what is made of it.
package enum Gamma {
    /// What Stirling's formula leaves of ln Γ(z): ln Γ(z) - (z - ½) ln z + z - ½ ln 2π.
    ///
    /// Differences of ln Γ for large numbers lose digits; those of remainders do not. From 10, the series of NIST's
    /// *Digital Library of Mathematical Functions*, 5.11.1; its next term is below 1e-16.
    package static func stirlingRemainder(_ z: Double) -> Double {
        guard z >= 10 else { return lgamma(z).0 - (z - 0.5) * log(z) + z - log(2 * Double.pi) / 2 }
        let coefficients: [Double] = [1 / 156, -691 / 360_360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12]
        return coefficients.reduce(0) { $0 / (z * z) + $1 } / z
    }

    /// The logarithm of the beta function Γ(a) Γ(b) / Γ(a + b).
    package static func logBeta(_ a: Double, _ b: Double) -> Double {
        let (large, small) = (max(a, b), min(a, b))
        // ln Γ(large) - ln Γ(large + small)
        let ratio =
            small - small * log(large) - (large + small - 0.5) * log1p(small / large)
            + stirlingRemainder(large) - stirlingRemainder(large + small)
        return lgamma(small).0 + ratio
    }
}
