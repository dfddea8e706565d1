import ServerTestSupport
import TestSupport
import TurnoutFlags
import TurnoutSQLite
import TurnoutServer

/// The plans of experiments over time.
@Suite(.blocking) struct ExperimentHistoryTests {
    private let clock = FixedWallClock(EventBodies.time)
    private let storage = ServerStorage.temporary()
    private let datafiles: DatafileDirectory
    private let history: ExperimentHistory

    init() {
        datafiles = DatafileDirectory(wallClock: clock)
        history = ExperimentHistory(of: datafiles)
    }

    /// Publishes the datafile of the shop with replacements, at a time, and writes what has changed.
    private func publish(
        _ revision: Int, at time: Int64 = 0, environment: String = "production", _ changes: (String, String)...
    ) throws {
        clock.set(EventBodies.time + time)
        var text = String(decoding: TestDatafile.shop(revision: revision), as: UTF8.self)
        for (old, new) in changes + [("production", environment)] {
            try #require(text.contains(old))
            text = text.replacing(old, with: new)
        }
        try datafiles.publish(Array(text.utf8), for: environment)
        try write()
    }

    private func write(rebuilds: Int = 0) throws { try history.write(to: storage.events, rebuilds: rebuilds) }

    private func experiment(_ id: String = "1001") throws -> RecordedExperiment {
        try #require(try storage.events.experiments(ofProject: "20").first { $0.id == id })
    }

    @Test func theFirstDatafileDescribesItsExperiments() throws {
        try publish(1)
        let experiment = try experiment()
        #expect(experiment.key == "checkout_test")
        #expect(experiment.flag == "checkout")
        #expect(experiment.environment == "production")
        #expect(experiment.variations.map(\.id) == ["3001", "3002"])
        #expect(experiment.variations.map(\.key) == ["one_page", "two_pages"])
        // The events that the datafile names, each counted once for a visitor.
        #expect(experiment.metrics == [ExperimentMetric(event: "purchase", aggregation: .unique)])
        let period = try #require(experiment.periods.first)
        #expect(experiment.periods.count == 1)
        #expect(period.since == EventBodies.time)
        #expect(period.revision == "1")
        #expect(period.plan.status == "Running")
        #expect(period.plan.traffic == 10_000)
        #expect(period.plan.weights == ["3001": 10_000, "3002": 0])
        #expect(period.plan.allowList.isEmpty)
        #expect(try self.experiment("1003").periods.map(\.plan.traffic) == [10_000])
        #expect(try storage.events.experiments(ofProject: "21").isEmpty)
        #expect(try storage.events.experiments().count == 4)
    }

    @Test func onlyChangesOfThePlanAreAPeriod() throws {
        let split = (#""3001", "endOfRange": 10000"#, #""3001", "endOfRange": 2500"#)
        let list = (#""forcedVariations": {}"#, #""forcedVariations": {"zoe": "one_page", "ada": "two_pages"}"#)
        try publish(1)
        try publish(2, at: 1_000)
        try publish(3, at: 2_500, split)
        try publish(4, at: 3_000, split, list)
        try publish(5, at: 4_000, split, list, ("two_pages", "three_pages"))
        let experiment = try experiment()
        #expect(experiment.periods.map(\.since) == [0, 2_500, 3_000].map { EventBodies.time + $0 })
        #expect(experiment.periods.map(\.revision) == ["1", "3", "4"])
        #expect(experiment.periods.map(\.plan.weights["3001"]) == [10_000, 2_500, 2_500])
        #expect(experiment.periods.map(\.plan.allowList) == [[], [], ["ada", "zoe"]])
        // The description is the latest one.
        #expect(experiment.variations.map(\.key) == ["one_page", "three_pages"])
    }

    @Test func aVariationThatLeavesKeepsItsVisitors() throws {
        try publish(1)
        try publish(2, at: 1_000, ("3002", "9002"))
        #expect(try experiment().variations.map(\.id) == ["3001", "9002", "3002"])
    }

    @Test func anExperimentThatStoppedStaysAsItWas() throws {
        let event = { (key: String) in ["1001": ExperimentDesign([.init(event: key, aggregation: .total)])] }
        datafiles.define(event("purchase"), by: "flags.yaml")
        try publish(1)
        let before = try experiment()
        datafiles.define(event("search"), by: "flags.yaml")
        try publish(2, at: 1_000, ("Running", "Paused"), ("two_pages", "three_pages"))
        let stopped = try experiment()
        #expect(stopped.stop == EventBodies.time + 1_000)
        #expect(stopped.metrics == before.metrics && stopped.variations == before.variations)
        try publish(3, at: 2_000, ("two_pages", "three_pages"))
        #expect(try experiment().metrics.map(\.event) == ["search"])
        #expect(try experiment().variations.map(\.key) == ["one_page", "three_pages"])
    }

    @Test func aRestartIsNoChange() throws {
        try publish(1)
        try ExperimentHistory(of: datafiles).write(to: storage.events, rebuilds: 0)
        #expect(try experiment().periods.count == 1)
    }

    @Test func aRebuiltFileGetsTheCurrentPlans() throws {
        try publish(1)
        try storage.events.connection { try $0.run("DELETE FROM periods; DELETE FROM experiments") }
        try write()
        #expect(try storage.events.experiments().isEmpty)
        try write(rebuilds: 1)
        #expect(try experiment().periods.count == 1)
    }

    @Test func anExperimentThatIsGoneIsRemovedInItsEnvironment() throws {
        let other = ("\"100", "\"200")
        try publish(1)
        try publish(1, environment: "staging", other)
        try publish(2, at: 5_000, ("1001", "9001"))
        #expect(try experiment().periods.map(\.plan.status) == ["Running", "removed"])
        #expect(try experiment().periods.map(\.since) == [EventBodies.time, EventBodies.time + 5_000])
        #expect(try experiment("9001").periods.map(\.plan.status) == ["Running"])
        #expect(try experiment("2001").environment == "staging")
        #expect(try experiment("2001").periods.map(\.plan.status) == ["Running"])
        // Once, and until it is back.
        try publish(3, at: 6_000, ("1001", "9001"), ("one_page", "page"))
        try publish(4, at: 7_000)
        #expect(try experiment().periods.map(\.plan.status) == ["Running", "removed", "Running"])
    }

    @Test func aClockThatIsSetBackKeepsTheOrder() throws {
        try publish(1, at: 9_000)
        try publish(2, at: 3_000, ("Running", "Paused"))
        #expect(try experiment().periods.map(\.plan.status) == ["Running", "Paused"])
        #expect(try experiment().periods.map(\.since) == [9_000, 9_001].map { EventBodies.time + $0 })
    }

    @Test func metricsOfTheProjectFileTakePrecedenceAndMayChangeAlone() throws {
        let metric = ExperimentMetric(event: "purchase", aggregation: .revenue, direction: .decrease)
        datafiles.define(
            ["1001": ExperimentDesign([metric, .init(event: "search", aggregation: .total)])], by: "flags.yaml")
        try publish(1)
        #expect(try experiment().metrics == [metric, .init(event: "search", aggregation: .total)])
        datafiles.define(["1001": ExperimentDesign([.init(event: "search", aggregation: .value)])], by: "flags.yaml")
        try write()
        #expect(try experiment().metrics == [.init(event: "search", aggregation: .value)])
        #expect(try experiment().periods.count == 1)
    }

    @Test func usersOfTheListsWhileItRanAreLeftOut() throws {
        let events: [ScriptedEvent] = ["ada", "zoe", "kim"].enumerated().map { number, visitor in
            .exposure(visitor, "a", number)
        }
        try storage.events.write(events)
        for (revision, user) in [(1, "ada"), (2, "zoe"), (3, "bob"), (4, "kim")] {
            try publish(
                revision, at: Int64(revision), ("1001", "4101"), ("\"20\"", "\"12001\""),
                ("Running", revision == 4 ? "Paused" : "Running"),
                (#""forcedVariations": {}"#, "\"forcedVariations\": {\"\(user)\": \"one_page\"}"))
        }
        #expect(try storage.events.distribution(.checkout).leftOutLines == ["forced [2, 0]"])
        // They do not name a user who is forgotten.
        _ = try storage.events.forget(["ada"])
        let experiment = try #require(try storage.events.experiments().first { $0.id == "4101" })
        #expect(experiment.periods.map(\.plan.allowList) == [[], ["zoe"], ["bob"], ["kim"]])
    }
}
