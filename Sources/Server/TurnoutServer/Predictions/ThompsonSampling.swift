import LibC
import TurnoutClient
import TurnoutEngine
package import TurnoutFlags

/// Weights of a bandit's arms by Thompson sampling: an arm gets as many users as the probability that it is the best.
///
/// The probabilities are found by simulation. In each of 10,000 rounds a rate or a mean is drawn for each arm from what
/// is known of it, and the best arm wins the round. The number of rounds won is the weight, in buckets of users.
///
/// - `unique`: the rate of an arm with *n* users, *s* of whom converted, has the distribution
///   Beta(1 + *s*, 1 + *n* − *s*).
/// - `total`, `revenue` and `value`: the mean per user has the posterior of a normal distribution with a
///   normal-inverse-gamma prior (K. P. Murphy: *Conjugate Bayesian Analysis of the Gaussian Distribution*, 2007). The
///   prior weighs as much as one user, and has the mean and variance of all arms together.
///
/// W. R. Thompson: *On the Likelihood that One Unknown Probability Exceeds Another in View of the Evidence of Two
/// Samples*, Biometrika 25 (1933), pages 285–294.
package struct ThompsonSampling {
    /// The sum of all weights.
    package static let rounds = Bucketing.bucketCount

    private let arms: [ArmStatistics]
    private let metric: ExperimentMetric?
    private let pool: ArmStatistics
    private var random: Deviates

    /// Prepares the simulation.
    ///
    /// - Parameters:
    ///   - arms: What is known of the arms.
    ///   - metric: What is counted; nil if nothing is.
    ///   - seed: The seed of the simulation. The same input gives the same weights.
    package init(_ arms: [ArmStatistics], _ metric: ExperimentMetric?, seed: UInt64) {
        self.arms = arms
        self.metric = metric
        pool = arms.reduce(ArmStatistics(), +)
        random = Deviates(seed: seed)
    }

    /// The weights of the arms, which add up to ``rounds``. All arms have the same weight while nothing is known.
    ///
    /// - Complexity: O(n) in the number of arms.
    package mutating func weights() -> [Int] {
        guard let metric, pool.users > 0, arms.count > 1 else { return Self.equalWeights(arms.count) }
        var wins = arms.map { _ in 0 }
        for _ in 0..<Self.rounds {
            var best = (index: 0, draw: -Double.infinity)
            for index in arms.indices {
                let drawn = draw(arms[index], metric.aggregation)
                let draw = metric.direction == .increase ? drawn : -drawn
                if draw > best.draw { best = (index, draw) }
            }
            wins[best.index] += 1
        }
        return wins
    }

    private static func equalWeights(_ count: Int) -> [Int] {
        (0..<count).map { rounds * ($0 + 1) / count - rounds * $0 / count }
    }

    private mutating func draw(_ arm: ArmStatistics, _ aggregation: ExperimentMetric.Aggregation) -> Double {
        guard aggregation != .unique else {
            let conversions = arm.mean * Double(arm.users)
            return random.beta(1 + conversions, 1 + Double(arm.users) - conversions)
        }
        let users = Double(arm.users)
        let difference = arm.mean - pool.mean
        let scale =
            (pool.variance > 0 ? pool.variance : 1) + arm.squares / 2
            + users * difference * difference / (2 * (1 + users))
        let variance = scale / random.gamma(1 + users / 2)
        return (pool.mean + users * arm.mean) / (1 + users)
            + random.normal() * (variance / (1 + users)).squareRoot()
    }
}

/// Random numbers with the distributions that sampling needs.
private struct Deviates {
    private let random: SeededRandomSource

    init(seed: UInt64) { random = SeededRandomSource(seed: seed) }

    /// A number above 0 and below 1.
    private func uniform() -> Double { (Double(random.next() >> 11) + 0.5) / 0x1p53 }

    /// A normal deviate with mean 0 and variance 1, by the polar method (G. Marsaglia and T. A. Bray: *A Convenient
    /// Method for Generating Normal Variables*, SIAM Review 6 (1964), pages 260–264).
    func normal() -> Double {
        while true {
            let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
            let square = x * x + y * y
            if square < 1, square > 0 { return x * (-2 * log(square) / square).squareRoot() }
        }
    }

    /// A gamma deviate with scale 1 and a shape of at least 1 (G. Marsaglia and W. W. Tsang: *A Simple Method for
    /// Generating Gamma Variables*, ACM Transactions on Mathematical Software 26 (2000), pages 363–372).
    func gamma(_ shape: Double) -> Double {
        let d = shape - 1 / 3.0
        let c = 1 / (9 * d).squareRoot()
        while true {
            let x = normal()
            let root = 1 + c * x
            guard root > 0 else { continue }
            let cube = root * root * root
            if log(uniform()) < x * x / 2 + d * (1 - cube + log(cube)) { return d * cube }
        }
    }

    /// A beta deviate, from two gamma deviates.
    func beta(_ a: Double, _ b: Double) -> Double {
        let x = gamma(a)
        return x / (x + gamma(b))
    }
}
