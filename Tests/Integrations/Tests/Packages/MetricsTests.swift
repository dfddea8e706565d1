import Metrics
import Synchronization
import Testing
import TurnoutClient
import TurnoutMetrics

@Suite struct PublishingMetrics {
    private let metrics = RecordingFactory()

    @Test func allCountersExistFromTheStart() {
        _ = MetricsPublisher(FlagClient(.quiet), factory: metrics)
        #expect(metrics.values["turnout.events.lost reason=no room"] == 0)
        #expect(metrics.values["turnout.profiles.failures kind=writes lost"] == 0)
        #expect(metrics.values["turnout.notifications kind=datafile change"] == 0)
        #expect(metrics.values["turnout.notifications.lost"] == 0)
    }

    @Test func eachLossIsPublishedOnce() throws {
        var configuration = ClientConfiguration.quiet
        configuration.eventStore = .memory(limit: 1)
        let client = try FlagClient(datafile: shop, configuration)
        let publisher = MetricsPublisher(client, factory: metrics)
        for _ in 0..<4 { try? client.user("ada").track("purchase") }
        publisher.publish()
        publisher.publish()
        #expect(client.lostEvents[.noRoom] > 0)
        #expect(metrics.values["turnout.events.lost reason=no room"] == client.lostEvents[.noRoom])
    }

    @Test func readyTellsWhetherThereIsADatafile() throws {
        let client = FlagClient(.quiet)
        let publisher = MetricsPublisher(client, prefix: "shop.flags", factory: metrics)
        publisher.publish()
        #expect(metrics.values["shop.flags.ready"] == 0)
        try client.update(to: shop)
        publisher.publish()
        #expect(metrics.values["shop.flags.ready"] == 1)
    }

    @Test func chosenNotificationsAreCounted() async throws {
        let client = try FlagClient(datafile: shop, .quiet)
        let publisher = MetricsPublisher(client, counting: [.decisions], factory: metrics)
        for _ in 0..<3 { _ = client.user("ada", attributes: adasAttributes).decide("checkout_redesign") }
        await client.close()
        #expect(metrics.values["turnout.notifications kind=decision"] == 3)
        #expect(metrics.values["turnout.notifications kind=impression"] == nil)
        withExtendedLifetime(publisher) {}
    }

    @Test func runPublishesAfterEachIntervalAndAtItsEnd() async throws {
        let clock = ManualClock()
        let client = FlagClient(.quiet)
        let publisher = MetricsPublisher(client, every: .seconds(10), factory: metrics, clock: clock)
        let task = Task { await publisher.run() }
        while clock.sleeperCount == 0 { await Task.yield() }
        #expect(metrics.values["turnout.ready"] == 0)
        try client.update(to: shop)
        clock.advance(by: .seconds(10))
        while metrics.values["turnout.ready"] == 0 { await Task.yield() }
        task.cancel()
        await task.value
        #expect(metrics.recordings(of: "turnout.ready").last == 1)
    }
}

/// Keeps what each metric received, by its label and its dimensions.
private final class RecordingFactory: MetricsFactory {
    private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
        let add, set: @Sendable (Int64) -> Void

        init(add: @escaping @Sendable (Int64) -> Void, set: @escaping @Sendable (Int64) -> Void) {
            (self.add, self.set) = (add, set)
        }

        func increment(by amount: Int64) { add(amount) }
        func reset() {}
        func record(_ value: Int64) { set(value) }
        func record(_ value: Double) {}
        func recordNanoseconds(_ duration: Int64) {}
    }

    private let state = Mutex<[String: [Int]]>([:])

    /// The sum of a counter, or the last value of a gauge.
    var values: [String: Int] { state.withLock { $0.compactMapValues(\.last) } }

    func recordings(of name: String) -> [Int] { state.withLock { $0[name] ?? [] } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let name = ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
        return Handler { [self] amount in
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
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
