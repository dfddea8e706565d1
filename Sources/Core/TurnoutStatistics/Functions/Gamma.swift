import LibC

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
