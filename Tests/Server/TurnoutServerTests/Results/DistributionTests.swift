import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient

@testable import TurnoutServer

/// How the visitors of an experiment are distributed.
@Suite(.blocking) struct DistributionTests {
    private let hour = ScriptedEvent.hour
    private let day = ScriptedEvent.day
    private let store = ServerStorage.temporary().events

    private func distribution(_ change: (inout ResultSelection) -> Void = { _ in }) throws -> ResultDistribution {
        var selection = ResultSelection.checkout
        change(&selection)
        return try store.distribution(selection)
    }

    /// The number of visitors of each arm.
    private func visitors(_ distribution: ResultDistribution) -> [Int] {
        distribution.arms.indices.map { arm in
            distribution.visitors.filter { $0.arm == arm }.reduce(0) { $0 + $1.visitors }
        }
    }

    @Test(arguments: 0..<UInt64(rounds(5, thorough: 100)))
    func theDistributionDependsOnTheEventsAlone(seed: UInt64) throws {
        try DistributionContract(
            write: { _ = try store.write($0) },
            distribution: { selection in
                // What an earlier experiment leaves in memory, all or a part, makes no difference.
                let events = try store.snapshot(room: Int(seed) * 10)
                #expect(try store.distribution(selection, in: events) == store.distribution(selection))
                return try store.distribution(selection, in: events)
            }
        ).check(seed: seed)
    }

    @Test func withoutEventsThereAreNoVisitors() throws {
        let distribution = try distribution()
        #expect(distribution.lines == ["unfinished [0, 0], corrected [0, 0]"])
        #expect(Set(distribution.leftOut.keys) == Set(ResultDistribution.Reason.allCases))
    }

    @Test func eventsCountFromStartToStop() throws {
        try store.write([
            .exposure("ada", "a", 1, after: -1), .exposure("bob", "a", 2), .exposure("kim", "a", 3, after: day - 1),
            .exposure("max", "b", 4, after: day), .purchase("bob", 5, after: day - 1, revenue: 1),
            .purchase("bob", 6, after: day, revenue: 2), .purchase("kim", 7, after: day - 1, revenue: 4),
        ])
        let distribution = try distribution { selection in
            (selection.start, selection.stop) = (EventBodies.time, EventBodies.time + day)
            selection.metrics.append(.init(eventKey: "purchase", window: day))
        }
        #expect(visitors(distribution) == [2, 0])
        #expect(distribution.leftOutLines == ["beforeStart [1, 0]", "afterStop [0, 1]"])
        #expect(distribution.metrics[0].rows.map(\.totals.revenue) == [1, 4])
        // Nobody will know what the last visitor does after the end.
        #expect(distribution.metrics[1].rows.map(\.totals.revenue) == [1])
        #expect(distribution.metrics[1].unfinished == [1, 0])
    }

    @Test func severalDescriptionsOfAVariationAreOneArm() throws {
        try store.write([.exposure("ada", "a", 1), .exposure("bob", "b", 2)])
        let snapshot = EventBodies.exposure(uuid: "x", variation: "a").replacing("two_step", with: "renamed")
        let body = EventBodies.body(EventBodies.visitor("kim", snapshot))
        try store.write([]) { $0.rows = [EventBatchParser().rows(of: EventBodies.record(body))] }
        #expect(visitors(try distribution()) == [2, 1])
    }

    @Test func excludedVisitorsAreLeftOut() throws {
        let agent = { (name: String) in ["$opt_user_agent": "\"Mozilla/5.0 \(name)/1.0\""] }
        let filtered = { (name: String) in agent(name).merging(["$opt_bot_filtering": "true"]) { $1 } }
        try store.write([
            .exposure("a", "a", 1, attributes: filtered("bingbot")),
            .exposure("b", "a", 2, attributes: filtered("HeadlessChrome")),
            .exposure("c", "a", 3, attributes: agent("bingbot")), .exposure("d", "a", 4, attributes: filtered("CUBOT")),
            .exposure("e", "b", 5, attributes: ["employee": "true"]),
            .exposure("f", "b", 6, attributes: ["team": "\"green\"", "size": "12.0"]), .exposure("g", "b", 7),
            // One exposure is enough.
            .exposure("h", "b", 8), .exposure("h", "b", 9, after: hour, attributes: ["employee": "true"]),
        ])
        #expect(try distribution().leftOutLines == ["bots [2, 0]"])
        #expect(visitors(try distribution()) == [2, 4])
        func leftOut(_ texts: String...) throws -> [String] {
            let distribution = try distribution { $0.exclusions = texts.compactMap(ResultExclusion.init) }
            #expect(visitors(distribution).reduce(0, +) + distribution.leftOut.values.joined().reduce(0, +) == 8)
            return distribution.leftOutLines
        }
        #expect(try leftOut("bots") == ["bots [3, 0]"])
        #expect(try leftOut("employee=true") == ["excluded [0, 2]", "bots [2, 0]"])
        #expect(try leftOut("team=green", "user:g") == ["excluded [0, 2]", "bots [2, 0]"])
        #expect(try leftOut("size=12", "size=13", "user:nobody") == ["excluded [0, 1]", "bots [2, 0]"])
        #expect(try leftOut("country=US") == ["excluded [4, 4]"])
    }

    @Test func usersOfAListAreExcluded() throws {
        let lists = ServerStorage.temporary().segments
        let users = (0..<2_500).map { "u\($0)" }
        _ = try lists.change("staff", .add(users))
        let exclusions: [ResultExclusion] = try [.bots, .segment("staff")].resolved(by: lists)
        #expect(exclusions.count == 2_501)
        #expect(exclusions.first == .bots)
        #expect(exclusions.dropFirst() == users.sorted().map { .user($0) }[...])
        #expect(throws: ResultError.unknownSegment("other")) { try [.segment("other")].resolved(by: lists) }
    }

    @Test(arguments: [
        ("bots", ResultExclusion.bots), ("a=b=c", .attribute(name: "a", value: "b=c")), ("user:a=b", .user("a=b")),
        ("segment:staff", .segment("staff")), ("a=", .attribute(name: "a", value: "")), ("bot", nil), ("=b", nil),
        ("user:", nil), ("segment:", nil), ("", nil),
    ]) func exclusionsHaveFourForms(text: String, expected: ResultExclusion?) {
        #expect(ResultExclusion(text) == expected)
    }

    @Test func sumsOfValuesAreExactAndRoundedOnce() {
        var random = SplitMix(state: 1)
        for _ in 0..<20_000 {
            var (sums, expected) = (OutcomeTable.Sums(), Int128(0))
            for _ in 0...Int.random(in: 0..<8, using: &random) {
                var size = Double.random(in: 0..<2, using: &random)
                if Bool.random(using: &random) { size.round() }
                let value =
                    Double(sign: Bool.random(using: &random) ? .plus : .minus, exponent: 0, significand: size)
                    * [1e-25, 0x1p-64, 0x1p-11, 1, 4_250, 5e11].randomElement(using: &random)!
                sums.add(revenue: 0, value: value)
                expected += Int128(value * 0x1p64)
            }
            #expect(sums.totals.value == Double(expected) * 0x1p-64)
        }
        var sums = OutcomeTable.Sums()
        for value in [.nan, 1.01e12, -.infinity, -2, -0.0] { sums.add(revenue: 0, value: value) }
        #expect(sums.totals.value == -2 && sums.totals.count == 5)
    }

    @Test func tooManyVisitorsAreAnErrorInsteadOfAllMemory() throws {
        try store.write((0..<3_000).map { .exposure("u\($0)", "a", $0) })
        #expect(visitors(try store.distribution(.checkout, limit: 250_000)) == [3_000, 0])
        let error = #expect(throws: ResultError.self) { try store.distribution(.checkout, limit: 150_000) }
        #expect(error?.description.hasPrefix("experiment 4101 has so many visitors") == true)
        // Those who convert need more.
        try store.write((0..<3_000).map { .purchase("u\($0)", 10_000 + $0) })
        #expect(throws: ResultError.self) { try store.distribution(.checkout, limit: 250_000) }
        #expect(try store.distribution(.checkout).metrics[0].rows.map(\.visitors) == [3_000])
    }

    @Test func aCanceledTaskStopsReading() async throws {
        try store.write((0..<5_000).map { .exposure("u\($0)", "a", $0) })
        let task = Task { [store] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try store.distribution(.checkout)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
