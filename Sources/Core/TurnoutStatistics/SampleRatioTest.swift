import LibC

/// Tests whether visitors were divided among the arms as planned.
package struct SampleRatioTest: Sendable, Equatable {
    /// Below this p-value of the sequential test the ratio is off, and the experiment has no result.
    package static let alarm = 0.001

    /// Pearson's test, valid for one look.
    package struct ChiSquareResult: Sendable, Equatable {
        package let statistic: Double
        package let degreesOfFreedom: Int
        package let pValue: Double
    }

    private let weights: [Double]
    private let totalWeight: Double
    private let concentration: Double

    /// Creates a test; nil if no weight is above 0.
    ///
    /// - Parameters:
    ///   - weights: The planned weights of the arms, relative to each other.
    ///   - concentration: The sum of the parameters of the alternative's prior: the greater, the closer to the plan it
    ///     expects the shares to be.
    package init?(weights: [Double], concentration: Double = 100) {
        let weights = weights.map { $0 > 0 ? $0 : 0 }
        let total = weights.reduce(0, +)
        guard total > 0, total.isFinite else { return nil }
        self.weights = weights
        totalWeight = total
        self.concentration = concentration
    }

    /// The p-value after each look, valid at all looks: it never rises.
    ///
    /// - Parameter looks: The number of visitors by arm at each look, in order.
    /// - Returns: A p-value for each look.
    package func pValues(at looks: some Sequence<[Int]>) -> [Double] {
        var smallest = 1.0
        return looks.map { visitors in
            smallest = min(smallest, exp(-logBayesFactor(visitors)))
            return smallest
        }
    }

    /// The logarithm of the evidence against the plan, with a Dirichlet-multinomial alternative (M. Lindon, A. Malek:
    /// *Anytime-Valid Inference for Multinomial Count Data*, NeurIPS 2022); ∞ if an arm without a share has visitors.
    ///
    /// Written with remainders of Stirling's formula: the large terms of ln B(α + n) - ln B(α) - Σ n ln θ cancel.
    package func logBayesFactor(_ visitors: [Int]) -> Double {
        guard let (total, arms) = deviations(visitors) else { return .infinity }
        let weight = concentration + total
        let common =
            Double(1 - arms.count) / 2 * log(weight / concentration)
            + Gamma.stirlingRemainder(concentration) - Gamma.stirlingRemainder(weight)
        return arms.reduce(common) { sum, arm in
            let (prior, expected) = (concentration * arm.share, weight * arm.share)
            let posterior = prior + arm.visitors
            let excess = arm.deviation / expected
            return sum + (posterior - 0.5) * (abs(excess) < 0.5 ? log1p(excess) : log(posterior / expected))
                + Gamma.stirlingRemainder(posterior) - Gamma.stirlingRemainder(prior)
        }
    }

    /// Pearson's test, to be shown beside the sequential one.
    package func chiSquare(_ visitors: [Int]) -> ChiSquareResult {
        let degrees = weights.count { $0 > 0 } - 1
        var statistic = Double.infinity
        if let (total, arms) = deviations(visitors) {
            statistic = total > 0 ? arms.reduce(0) { $0 + $1.deviation * $1.deviation / (total * $1.share) } : 0
        }
        return ChiSquareResult(
            statistic: statistic, degreesOfFreedom: degrees,
            pValue: ChiSquare.upperTail(statistic, degreesOfFreedom: degrees))
    }

    /// The visitors of all arms with a share, and how many more than planned each has; nil if another arm has some.
    private func deviations(
        _ visitors: [Int]
    ) -> (total: Double, arms: [(share: Double, visitors: Double, deviation: Double)])? {
        let arms = zip(weights, visitors.map(Double.init))
        guard arms.allSatisfy({ $0 > 0 || $1 == 0 }) else { return nil }
        let total = arms.reduce(0) { $0 + $1.1 }
        // With weights that are whole numbers, no digit of the deviation is lost.
        let planned = arms.filter { $0.0 > 0 }
        return (total, planned.map { ($0 / totalWeight, $1, ($1 * totalWeight - total * $0) / totalWeight) })
    }
}
