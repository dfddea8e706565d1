import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient
import TurnoutReports
import TurnoutSQLite

@testable import TurnoutServer

/// Which events the server keeps for results, and which not.
@Suite(.blocking) struct KeptEventsTests {
    private let day = ScriptedEvent.day
    private let hour = ScriptedEvent.hour
    private let store = ServerStorage.temporary().events

    /// Serves an experiment with the ids of scripted events, from a time on.
    private func serve(status: String = "Running", at time: Int64 = EventBodies.time) throws {
        let datafiles = DatafileDirectory(wallClock: .fixed(time))
        let text = String(decoding: TestDatafile.shop(revision: Int(time % 1_000)), as: UTF8.self)
            .replacing("\"1001\"", with: "\"4101\"").replacing("\"20\"", with: "\"12001\"")
            .replacing("Running", with: status).replacing("\"3001\"", with: "\"a\"")
            .replacing("\"3002\"", with: "\"b\"")
        try datafiles.publish(Array(text.utf8), for: "shop")
        try ExperimentHistory(of: datafiles).write(to: store, rebuilds: 0)
    }

    private func expire(days: Int, after time: Int64) throws {
        var retention = EventRetention()
        retention.days = days
        _ = try store.expire(retention, now: EventBodies.time + time)
    }

    private func number(_ sql: String) throws -> Int64 {
        try store.connection { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            return try statement.step() ? statement.int(0) : -1
        }
    }

    // MARK: Retention

    private let exposures: [ScriptedEvent] = [
        .exposure("ada", "a", 1), .exposure("ada", "a", 2, after: -ScriptedEvent.hour, client: "swift-sdk"),
        .exposure("bob", "b", 3, after: ScriptedEvent.day), .exposure("eve", "a", 4),
        .exposure("eve", "b", 5, after: ScriptedEvent.hour), .exposure("max", "b", 6, attributes: ["employee": "true"]),
    ]

    private func lines() throws -> [String] {
        var selection = ResultSelection.checkout
        selection.exclusions = [.attribute(name: "employee", value: "true")]
        return try store.distribution(selection).lines
    }

    @Test func firstExposuresOfARunningExperimentOutliveTheirAge() throws {
        try serve()
        for event in exposures { try store.write([event]) }
        let before = try lines()
        #expect(before.contains("a 20468 swift-sdk 5.7.0: 1"))
        #expect(before.contains("excluded [0, 1]"))
        try expire(days: 10, after: 50 * day)
        #expect(try number("SELECT count(*) FROM exposures") == 0)
        #expect(try number("SELECT count(*) FROM first_exposures") == 5)
        #expect(try lines() == before)
        // Later exposures join them.
        try store.write([.exposure("ada", "a", 7, after: 49 * day), .exposure("joe", "a", 8, after: 49 * day)])
        #expect(try lines().first == "a 20468: 1")
        #expect(try lines().contains("a 20517: 1"))
        try expire(days: 10, after: 90 * day)
        #expect(try number("SELECT count(*) FROM first_exposures") == 6)
        #expect(try lines().first == "a 20468: 1")
    }

    @Test func theyAreDeletedSomeTimeAfterTheEnd() throws {
        try serve()
        try store.write(exposures)
        try expire(days: 10, after: 50 * day)
        try serve(status: "Paused", at: EventBodies.time + 50 * day + 1)
        try expire(days: 10, after: 60 * day)
        #expect(try number("SELECT count(*) FROM first_exposures") == 5)
        #expect(try number("SELECT count(*) FROM attributes") == 2)
        try expire(days: 10, after: 61 * day)
        #expect(try number("SELECT count(*) FROM first_exposures") == 0)
        #expect(try number("SELECT count(*) FROM attributes") == 0)
    }

    @Test func otherExperimentsKeepNothing() throws {
        try serve(status: "Paused")
        try store.write(exposures)
        try expire(days: 10, after: 50 * day)
        #expect(try number("SELECT count(*) FROM first_exposures") == 0)
        #expect(try lines().count == 1)
    }

    @Test func forgottenUsersAreNotKept() throws {
        try serve()
        try store.write(exposures)
        try expire(days: 10, after: 50 * day)
        #expect(try store.forget(["max", "eve"]) == 3)
        #expect(try number("SELECT count(*) FROM first_exposures") == 2)
        // Nor the attributes that only they had.
        #expect(try number("SELECT count(*) FROM attributes") == 1)
    }

    // MARK: Final results

    private func service(after time: Int64) -> ResultsService {
        ResultsService(store, daysAfterStop: { 2 }, wallClock: .fixed(EventBodies.time + time))
    }

    private func results(after time: Int64) throws -> ExperimentResults {
        let service = service(after: time)
        return try service.results(of: #require(service.experiments().first { $0.id == "4101" }))
    }

    @Test func resultsOfAStoppedExperimentBecomeFinal() throws {
        try serve()
        try store.write(exposures + [.exposure("kim", "a", 10, after: 8 * day), .purchase("kim", 11, after: 10 * day)])
        #expect(try results(after: 9 * day).experiment.finalSince == nil)
        try serve(status: "Paused", at: EventBodies.time + 9 * day)
        try store.write([.purchase("ada", 12, after: 11 * day)])
        let before = try results(after: 10 * day)
        #expect(before.metrics[0].means == [1.0 / 3])
        #expect(before.report().text().contains("; stopped on 2026-01-24; "))
        #expect(before.report().text().contains("Final on 2026-02-25; until then, "))
        try service(after: 41 * day - 1).keepFinalResults()
        #expect(try number("SELECT count(*) FROM final_results") == 0)
        try service(after: 41 * day).keepFinalResults()
        // Later events, forced variations, and deletions change nothing.
        try store.write([.exposure("joe", "a", 13, after: day), .purchase("joe", 14, after: day)])
        try store.force([EventHash.visitor("kim", of: "12001")], at: EventBodies.time + 42 * day)
        _ = try store.forget(["ada"])
        try expire(days: 10, after: 80 * day)
        let after = try results(after: 80 * day)
        #expect(after.json == before.json && after.computed == EventBodies.time + 41 * day)
        #expect(after.report().text().contains("Final since 2026-02-25: nothing changes it any more."))
        try serve(at: EventBodies.time + 81 * day)
        #expect(try results(after: 82 * day).arms.map(\.visitors) == [0])
    }

    // MARK: The first of a day

    @Test func repeatedExposuresOfADayAreCounted() throws {
        let first = { (page: inout ProcessedPage) in page.storesFirstOfDay = true }
        var counts = try store.write(
            [
                .exposure("ada", "a", 2, after: hour), .exposure("ada", "a", 1),
                .exposure("ada", "b", 3, after: hour), .exposure("bob", "a", 4),
                .exposure("ada", "a", 5, after: day), .purchase("ada", 6), .purchase("ada", 7),
            ], first)
        #expect((counts.exposures, counts.repeated, counts.duplicates) == (4, 1, 0))
        #expect(counts.conversions == 2)
        // The earliest of those that came together.
        #expect(try number("SELECT min(timestamp) FROM exposures") == EventBodies.time)
        counts = try store.write([.exposure("ada", "a", 8, after: 2 * hour), .exposure("kim", "a", 9)], first)
        #expect((counts.exposures, counts.repeated, counts.duplicates) == (1, 1, 0))
        // Copies of stored events are repeated, and a change of the setting is no problem.
        counts = try store.write([.exposure("kim", "a", 9), .exposure("bob", "a", 4)])
        #expect((counts.exposures, counts.repeated, counts.duplicates) == (0, 0, 2))
        counts = try store.write([.exposure("max", "a", 10)])
        counts = try store.write([.exposure("max", "a", 10), .exposure("max", "a", 11)], first)
        #expect((counts.exposures, counts.repeated, counts.duplicates) == (0, 1, 1))
    }

    @Test func theDistributionIsTheSameWithTheFirstOfEachDay() throws {
        let events = (0..<300).map { number in
            ScriptedEvent.exposure("u\(number % 10)", number % 7 == 0 ? "b" : "a", number, after: Int64(number) * hour)
        }
        try store.write(events) { $0.storesFirstOfDay = true }
        let other = ServerStorage.temporary().events
        try other.write(events)
        #expect(try store.distribution(.checkout) == other.distribution(.checkout))
        #expect(try number("SELECT count(*) FROM exposures") < 300)
    }
}
