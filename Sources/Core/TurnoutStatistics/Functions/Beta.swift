import LibC

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
