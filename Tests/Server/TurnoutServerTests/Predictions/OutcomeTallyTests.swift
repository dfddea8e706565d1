import Testing
import TurnoutFlags
import TurnoutServer

/// What users' events say about the variations of a rule.
@Suite struct OutcomeTallyTests {
    private func means(
        _ aggregation: ExperimentMetric.Aggregation, _ outcomes: [(Int64, RuleOutcome.Kind)]
    ) -> [Double] {
        statistics(aggregation, outcomes).map(\.mean)
    }

    private func statistics(
        _ aggregation: ExperimentMetric.Aggregation, _ outcomes: [(Int64, RuleOutcome.Kind)]
    ) -> [ArmStatistics] {
        var tally = OutcomeTally(["a", "b"], aggregation)
        for (visitor, kind) in outcomes { tally.add(RuleOutcome(visitor: visitor, kind)) }
        return tally.finish()
    }

    private let a = RuleOutcome.Kind.exposure(variationID: "a")
    private let b = RuleOutcome.Kind.exposure(variationID: "b")
    private let purchase = RuleOutcome.Kind.conversion(revenue: 300, value: 1.5)

    @Test func eachCountIsThatOfUsers() {
        let outcomes = [(1, a), (1, purchase), (1, purchase), (2, a), (3, b)].map { (Int64($0), $1) }
        #expect(means(.unique, outcomes) == [0.5, 0])
        #expect(means(.total, outcomes) == [1, 0])
        #expect(means(.revenue, outcomes) == [300, 0])
        #expect(means(.value, outcomes) == [1.5, 0])
        #expect(statistics(.unique, outcomes).map(\.users) == [2, 1])
    }

    @Test func aConversionCountsForTheVariationBeforeIt() {
        let outcomes = [(1, purchase), (1, a), (1, b), (1, purchase), (1, a)].map { (Int64($0), $1) }
        #expect(means(.unique, outcomes) == [0, 1])
        #expect(statistics(.unique, outcomes).map(\.users) == [1, 1])
    }

    @Test func conversionsOfOtherVisitorsAndVariationsCountForNone() {
        let other = RuleOutcome.Kind.exposure(variationID: "removed")
        let outcomes = [(1, a), (2, purchase), (3, a), (3, other), (3, purchase)].map { (Int64($0), $1) }
        #expect(means(.unique, outcomes) == [0, 0])
        #expect(statistics(.unique, outcomes).map(\.users) == [2, 0])
    }

    @Test func missingAndImplausibleNumbersAreZero() {
        let conversions: [RuleOutcome.Kind] = [
            .conversion(revenue: nil, value: nil), .conversion(revenue: nil, value: .infinity),
            .conversion(revenue: nil, value: .nan), .conversion(revenue: .min, value: -1.7e308),
        ]
        for conversion in conversions {
            #expect(means(.revenue, [(1, a), (1, conversion)])[0] == 0)
            #expect(means(.value, [(1, a), (1, conversion)])[0] == 0)
        }
    }

    @Test(arguments: ["bandit=purchase.unique", "1003=a.b=c.value"])
    func aSettingNamesRuleAndMetric(text: String) throws { #expect(try #require(BanditMetric(text)).text == text) }

    @Test(arguments: [
        "", "bandit", "=purchase.unique", "bandit=.unique", "bandit=purchase", "bandit=purchase.median",
        "bandit=purchase.revenue_per_conversion",
    ])
    func otherSettingsAreRefused(text: String) { #expect(BanditMetric(text) == nil) }
}
