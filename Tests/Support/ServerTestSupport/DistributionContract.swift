import TestSupport
package import Testing
package import TurnoutServer

/// What every store of processed events must do: compute the same distribution from the same events, in whatever order
/// they arrive, however late, and however often.
package struct DistributionContract {
    private let write: (ProcessedPage) throws -> Void
    private let distribution: (ResultSelection) throws -> ResultDistribution

    /// Creates the contract for an empty store.
    package init(
        write: @escaping (ProcessedPage) throws -> Void,
        distribution: @escaping (ResultSelection) throws -> ResultDistribution
    ) {
        (self.write, self.distribution) = (write, distribution)
    }

    /// Checks the store.
    ///
    /// - Parameters:
    ///   - seed: Determines order, copies and times of receipt.
    ///   - sourceLocation: Where failures are reported. Default: the caller's place.
    /// - Throws: The error of the store.
    package func check(seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var random = SplitMix(state: seed)
        let copies = Self.events.filter { _ in Bool.random(using: &random) }
        var events = (Self.events + copies).shuffled(using: &random)
        var next: Int64 = 0
        while !events.isEmpty {
            next += 1
            var page = ProcessedPage(next: next)
            for event in events.prefix(.random(in: 1...9, using: &random)) {
                let isOld = event.time < EventBodies.time - 30 * ScriptedEvent.day
                let delay: ClosedRange<Int64> = isOld ? 70...90 : 0...14
                page.rows.append(event.rows(receivedAfter: .random(in: delay, using: &random) * ScriptedEvent.day))
            }
            events.removeFirst(page.rows.count)
            try write(page)
        }
        let lines = try distribution(Self.selection).lines
        #expect(lines == Self.expected, "seed \(seed)", sourceLocation: sourceLocation)
    }

    private static let selection: ResultSelection = {
        var selection = ResultSelection.checkout
        selection.metrics.append(.init(eventKey: "purchase", window: 7 * ScriptedEvent.day))
        selection.now = EventBodies.time + 7 * ScriptedEvent.day + 12 * ScriptedEvent.hour
        return selection
    }()

    private static let events: [ScriptedEvent] = {
        let (hour, day) = (ScriptedEvent.hour, ScriptedEvent.day)
        let bot = ["$opt_bot_filtering": "true", "$opt_user_agent": "\"Mozilla/5.0 (compatible; Googlebot/2.1)\""]
        return [
            // The first exposure counts; one from another client follows.
            .exposure("ada", "a", 1), .exposure("ada", "a", 2, after: hour, client: "swift-sdk"),
            .purchase("ada", 3, after: -15 * day, revenue: 9, value: 9),
            .purchase("ada", 4, after: -day, revenue: 100, value: 1),
            .purchase("ada", 5, revenue: 1_000, value: 0.1),
            .purchase("ada", 6, after: 2 * day, revenue: 500, value: 0.2),
            .purchase("ada", 7, after: 8 * day, revenue: 7, value: 0.3),
            // A conversion between two exposures, and amounts whose sum depends on the order of additions.
            .exposure("bob", "b", 8, client: "swift-sdk"), .exposure("bob", "b", 9, after: 2 * day),
            .purchase("bob", 10, after: day, revenue: 300, value: 0.1), .purchase("bob", 11, after: day, value: 1e12),
            .purchase("bob", 12, after: day, value: -1e12), .purchase("bob", 13, after: day, value: 1e13),
            .exposure("eve", "a", 14), .exposure("eve", "b", 15, after: hour), .purchase("eve", 16, after: hour),
            .exposure("kim", "b", 17, after: day), .purchase("lee", 18),
            .exposure("max", "a", 19, after: 6 * hour), .purchase("max", 20, after: 5 * hour, revenue: 50, value: 5),
            .exposure("bot", "a", 21, attributes: bot),
            // Times that no client can mean.
            .exposure("old", "a", 22, after: -60 * day),
            .exposure("pat", "b", 23), .purchase("pat", 24, after: -60 * day, revenue: 1),
            // The same time.
            .exposure("sam", "a", 25, client: "swift-sdk"), .exposure("sam", "a", 26),
            // What does not belong to the experiment.
            .exposure("ada", "b", 27, project: "12002"), .exposure("zoe", "c", 28),
        ]
    }()

    private static let expected = [
        "a 20468: 3", "b 20468: 2", "b 20469: 1",
        "a 20468 python-sdk 5.7.0: 3", "b 20468 python-sdk 5.7.0: 1", "b 20468 swift-sdk 5.7.0: 1",
        "b 20469 python-sdk 5.7.0: 1",
        "bots [1, 0]", "crossed [1, 0]", "correctedTime [1, 0]",
        "unfinished [0, 0], corrected [0, 1]",
        "a 20468: 0 0 0.0, before 0 0 0.0: 1",
        "a 20468: 0 0 0.0, before 1 50 5.0: 1",
        "a 20468: 3 1507 0.6, before 1 100 1.0: 1",
        "b 20468: 0 0 0.0, before 0 0 0.0: 1",
        "b 20468: 4 300 0.1, before 0 0 0.0: 1",
        "b 20469: 0 0 0.0, before 0 0 0.0: 1",
        "unfinished [0, 1], corrected [0, 1]",
        "a 20468: 0 0 0.0, before 0 0 0.0: 1",
        "a 20468: 0 0 0.0, before 1 50 5.0: 1",
        "a 20468: 2 1500 0.30000000000000004, before 1 100 1.0: 1",
        "b 20468: 0 0 0.0, before 0 0 0.0: 1",
        "b 20468: 4 300 0.1, before 0 0 0.0: 1",
    ]
}

extension ResultSelection {
    /// The experiment of ``ScriptedEvent``, with its purchases.
    package static let checkout = ResultSelection(
        projectID: "12001", experimentID: "4101", variationIDs: ["a", "b"], metrics: [.init(eventKey: "purchase")],
        now: EventBodies.time + 30 * ScriptedEvent.day)
}

extension ResultDistribution {
    /// One line for each row and each reason that left something out.
    package var lines: [String] {
        visitors.map { "\(arms[$0.arm]) \($0.day): \($0.visitors)" }
            + sources.map { "\(arms[$0.arm]) \($0.day) \($0.client) \($0.version): \($0.visitors)" }
            + leftOutLines + metrics.flatMap { lines(of: $0) }
    }

    package var leftOutLines: [String] {
        Reason.allCases.compactMap { reason in
            leftOut[reason].flatMap { $0.allSatisfy { $0 == 0 } ? nil : "\(reason.rawValue) \($0)" }
        }
    }

    private func lines(of metric: Metric) -> [String] {
        ["unfinished \(metric.unfinished), corrected \(metric.corrected)"]
            + metric.rows.map {
                "\(arms[$0.arm]) \($0.day): \($0.totals.line), before \($0.before.line): \($0.visitors)"
            }
    }
}

extension ResultDistribution.Totals {
    fileprivate var line: String { "\(count) \(revenue) \(value)" }
}
