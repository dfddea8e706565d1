import TestSupport
import TurnoutFlags
import TurnoutServer

/// The shares of users that a bandit gives its variations.
@Suite struct ThompsonSamplingTests {
    private static func metric(
        _ aggregation: ExperimentMetric.Aggregation, _ direction: ExperimentMetric.Direction = .increase
    ) -> ExperimentMetric {
        ExperimentMetric(event: "purchase", aggregation: aggregation, direction: direction)
    }

    private func arm(users: Int, conversions: Int) -> ArmStatistics {
        var arm = ArmStatistics()
        for user in 0..<users { arm.add(user < conversions ? 1 : 0) }
        return arm
    }

    private func weights(_ arms: [ArmStatistics], _ metric: ExperimentMetric?, seed: UInt64 = 1) -> [Int] {
        var sampling = ThompsonSampling(arms, metric, seed: seed)
        return sampling.weights()
    }

    @Test(arguments: [nil, metric(.unique), metric(.revenue)])
    func withoutEventsAllVariationsHaveTheSameWeight(metric: ExperimentMetric?) {
        let arms = [ArmStatistics(), ArmStatistics(), ArmStatistics()]
        #expect(weights(arms, metric) == [3_333, 3_333, 3_334])
    }

    @Test func aRuleWithoutMetricKeepsTheSameWeights() {
        #expect(weights([arm(users: 100, conversions: 0), arm(users: 100, conversions: 90)], nil) == [5_000, 5_000])
    }

    /// A uniform rate against one of density 2x: the second is larger with a probability of 2/3.
    @Test func weightsAreTheProbabilitiesOfBeingBest() {
        let weights = weights([ArmStatistics(), arm(users: 1, conversions: 1)], Self.metric(.unique))
        #expect(weights.reduce(0, +) == 10_000)
        // Four standard deviations.
        #expect(abs(weights[1] - 6_667) < 190)
    }

    @Test func theBetterRateGetsTheUsers() {
        let arms = [arm(users: 1_000, conversions: 100), arm(users: 1_000, conversions: 160)]
        #expect(weights(arms, Self.metric(.unique))[1] > 9_900)
        #expect(weights(arms, Self.metric(.unique, .decrease))[0] > 9_900)
    }

    @Test func theLargerMeanGetsTheUsers() {
        var arms = [ArmStatistics(), ArmStatistics()]
        for user in 0..<500 {
            arms[0].add(Double(user % 10))
            arms[1].add(Double(user % 10) + 1)
        }
        #expect(weights(arms, Self.metric(.revenue))[1] > 9_900)
    }

    @Test func meansOfValuesThatDoNotDifferSayNothing() {
        let arms = [arm(users: 200, conversions: 0), arm(users: 200, conversions: 0)]
        let weights = weights(arms, Self.metric(.value))
        #expect(abs(weights[0] - 5_000) < 200)
    }

    @Test func theSameSeedGivesTheSameWeights() {
        let arms = [arm(users: 50, conversions: 5), arm(users: 50, conversions: 7)]
        #expect(weights(arms, Self.metric(.unique)) == weights(arms, Self.metric(.unique)))
        #expect(weights(arms, Self.metric(.unique)) != weights(arms, Self.metric(.unique), seed: 2))
    }

    /// Users of a rate of 5 % and of 10 % in ten rounds: the better variation ends with almost all of them.
    @Test func aBanditLearns() {
        let random = SeededRandomSource(seed: 7)
        var arms = [ArmStatistics(), ArmStatistics()]
        var shares = weights(arms, Self.metric(.unique))
        for _ in 0..<10 {
            for _ in 0..<1_000 {
                let index = Int(random.next() % 10_000) < shares[0] ? 0 : 1
                arms[index].add(random.next() % 100 < (index == 0 ? 5 : 10) ? 1 : 0)
            }
            shares = weights(arms, Self.metric(.unique))
        }
        #expect(shares[1] > 9_500)
        #expect(arms[1].users > 8_000)
    }

    @Test func statisticsAreThoseOfAllValues() {
        var arm = ArmStatistics()
        for value in [2.0, 4, 4, 4, 5, 5, 7, 9] { arm.add(value) }
        #expect(arm.mean == 5)
        #expect(abs(arm.variance - 32.0 / 7) < 1e-12)
    }
}
