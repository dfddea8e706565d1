import TurnoutRollouts

/// The counts of `turnout rollout`: shares, users who move, users who stay.
@Suite struct RolloutCountTests {
    private func entry(
        _ weights: [String: Double], isSticky: Bool = false, countries: Set<String>? = nil
    ) -> RolloutConfiguration.Entry {
        var experiment = RolloutExperiment(variants: RolloutVariants(weights: weights))
        (experiment.isSticky, experiment.countries) = (isSticky, countries)
        return .usable(experiment)
    }

    private func count(
        _ before: RolloutConfiguration.Entry?, _ after: RolloutConfiguration.Entry?, country: String? = nil
    ) -> RolloutCount { RolloutCount(before: before, after: after, users: 10_000, country: country, language: nil) }

    @Test func sharesFollowWeights() {
        let count = count(entry(["a": 70, "b": 30]), nil)
        // Four standard deviations.
        #expect(abs((count.usersBefore["a"] ?? 0) - 7_000) < 184)
        #expect(count.usersBefore["a", default: 0] + count.usersBefore["b", default: 0] == 10_000)
    }

    @Test func usersMoveWithTheWeights() throws {
        let count = count(entry(["a": 10, "b": 90]), entry(["a": 40, "b": 60]))
        let movers = try #require(count.movers[.init(from: "b", to: "a")])
        #expect(count.movers.count == 1)
        #expect(movers.draws.lowerBound > 0.1 && movers.draws.upperBound <= 0.4)
        #expect(movers.count == count.usersAfter["a", default: 0] - count.usersBefore["a", default: 0])
    }

    @Test func stickyUsersStayAndNewOnesFollow() {
        let count = count(entry(["a": 10, "b": 90], isSticky: true), entry(["a": 90, "b": 10], isSticky: true))
        #expect(count.movers.isEmpty && count.usersAfter == count.usersBefore)
        #expect(count.newUsers["a", default: 0] > 8_800)
    }

    @Test func aDeletedExperimentMovesAllUsersToTheDefault() {
        let count = count(entry(["a": 1]), nil)
        #expect(count.movers[.init(from: "a", to: nil)]?.count == 10_000)
    }

    @Test func usersOutsideTheFiltersGetTheDefault() {
        let filtered = entry(["a": 1], countries: ["il", "us"])
        #expect(count(filtered, nil).usersBefore == ["a": 10_000])
        #expect(count(filtered, nil, country: "CA").usersBefore == [nil: 10_000])
    }

    @Test func aChangedFilterMovesOnlyAffectedUsers() {
        let (both, israel) = (entry(["a": 1], countries: ["il", "us"]), entry(["a": 1], countries: ["il"]))
        #expect(count(both, israel).user.country == "us")
        #expect(count(both, israel).movers[.init(from: "a", to: nil)]?.count == 10_000)
        #expect(count(both, israel, country: "IL").movers.isEmpty)
        #expect(count(entry(["a": 1]), israel).movers[.init(from: "a", to: nil)]?.count == 10_000)
        #expect(count(israel, both, country: "US").movers[.init(from: nil, to: "a")]?.count == 10_000)
    }
}
