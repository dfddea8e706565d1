import Metrics
import Synchronization
import Testing
import TurnoutClient
import TurnoutMetrics

@Suite struct PublishingMetrics {
    private let metrics = RecordingFactory()

    @Test func allCountersExistAfterTheFirstPublication() {
        MetricsPublisher(FlagClient(.quiet), factory: metrics).publish()
        #expect(metrics.values["turnout_events_lost_total queue=events reason=no_room"] == 0)
        #expect(metrics.values["turnout_profile_failures_total kind=writes_lost"] == 0)
        #expect(metrics.values["turnout_notifications_lost_total"] == 0)
        #expect(metrics.values["turnout_ready"] == 0)
    }

    @Test func eachLossIsPublishedOnce() throws {
        var configuration = ClientConfiguration.quiet
        configuration.eventStore = .memory(limit: 1)
        let client = try FlagClient(datafile: shop, configuration)
        let publisher = MetricsPublisher(client, dimensions: [("client", "shop")], factory: metrics)
        for _ in 0..<4 { try? client.user("ada").track("purchase") }
        publisher.publish()
        publisher.publish()
        #expect(client.lostEvents[.noRoom] > 0)
        let name = "turnout_events_lost_total queue=events reason=no_room client=shop"
        #expect(metrics.values[name] == client.lostEvents[.noRoom])
    }

    @Test func theGaugeOfAnEarlierRevisionIsDestroyed() throws {
        let client = FlagClient(.quiet)
        let publisher = MetricsPublisher(client, factory: metrics)
        func revisions() -> [String] { metrics.values.keys.filter { $0.hasPrefix("turnout_datafile_info ") } }
        try client.update(to: shop)
        publisher.publish()
        let first = revisions()
        #expect(first.count == 1)
        let next = String(decoding: shop, as: UTF8.self).replacing("\"revision\": \"42\"", with: "\"revision\": \"43\"")
        try client.update(to: Array(next.utf8))
        publisher.publish()
        #expect(revisions().count == 1)
        #expect(revisions() != first)
    }

    @Test func decisionsAreCountedIfTheClientCountsThem() throws {
        var configuration = ClientConfiguration.quiet
        configuration.countsDecisions = true
        let client = try FlagClient(datafile: shop, configuration)
        for _ in 0..<3 { _ = client.user("ada", attributes: adasAttributes).decide("checkout_redesign") }
        MetricsPublisher(client, factory: metrics).publish()
        #expect(metrics.values["turnout_decisions_total flag=checkout_redesign variation=one_page"] == 3)
    }

    @Test func runPublishesAfterEachIntervalAndAtItsEnd() async throws {
        let clock = ManualClock()
        let client = FlagClient(.quiet)
        let publisher = MetricsPublisher(client, every: .seconds(10), factory: metrics, clock: clock)
        let task = Task { await publisher.run() }
        try await wait("the first pause") { clock.sleeperCount > 0 }
        #expect(metrics.values["turnout_ready"] == 0)
        try client.update(to: shop)
        clock.advance(by: .seconds(10))
        try await wait("the new value") { metrics.values["turnout_ready"] != 0 }
        task.cancel()
        await task.value
        #expect(metrics.recordings(of: "turnout_ready").last == 1)
    }
}

/// Keeps what each metric received, by its label and its dimensions.
private final class RecordingFactory: MetricsFactory {
    private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
        let name: String
        let add, set: @Sendable (Int64) -> Void

        init(_ name: String, add: @escaping @Sendable (Int64) -> Void, set: @escaping @Sendable (Int64) -> Void) {
            (self.name, self.add, self.set) = (name, add, set)
        }

        func increment(by amount: Int64) { add(amount) }
        func reset() {}
        func record(_ value: Int64) { set(value) }
        func record(_ value: Double) { set(Int64(value)) }
        func recordNanoseconds(_ duration: Int64) {}
    }

    private let state = Mutex<[String: [Int]]>([:])

    /// The sum of a counter, or the last value of a gauge.
    var values: [String: Int] { state.withLock { $0.compactMapValues(\.last) } }

    func recordings(of name: String) -> [Int] { state.withLock { $0[name] ?? [] } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let name = ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
        return Handler(name) { [self] amount in
            state.withLock { $0[name, default: []].append(($0[name]?.last ?? 0) + Int(amount)) }
        } set: { [self] value in
            state.withLock { $0[name, default: []].append(Int(value)) }
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {
        guard let handler = handler as? Handler else { return }
        state.withLock { $0[handler.name] = nil }
    }
    func destroyTimer(_ handler: any TimerHandler) {}
}
