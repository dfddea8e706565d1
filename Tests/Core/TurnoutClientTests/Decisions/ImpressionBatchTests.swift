/// The impressions of several decisions, and what is called for each decision.
struct ImpressionBatchTests {
    /// Notes the calls that accept events.
    private final class Sink: EventSink {
        let calls = Collected<String>()
        let waits: Bool
        var losses: EventLosses { EventLosses() }

        init(waits: Bool) { self.waits = waits }

        func accept(_ event: OutgoingEvent) -> EventAcceptance {
            calls.add("one event")
            return .accepted
        }
        func accept(_ events: [OutgoingEvent]) { calls.add("\(events.count) events") }
        func acceptDurably(_ events: [OutgoingEvent]) async -> [EventAcceptance] {
            calls.add("\(events.count) events, awaited")
            return events.map { _ in .accepted }
        }
        func flush() async {}
        func flush(within limit: Duration) async {}
        func close(within limit: Duration) async {}
    }

    private func runtime(_ sink: Sink) throws -> DecisionRuntime {
        var services = RuntimeServices()
        (services.events, services.log) = (sink, .silent)
        let runtime = DecisionRuntime(services)
        runtime.install(try runtime.read(ExampleShop.datafile), keepsForcedVariations: false)
        return runtime
    }

    private static let user = User("ada", attributes: ["country": "US", "orders": 12])

    @Test func aStoreThatWaitsForItsDiskWaitsOnce() async throws {
        let sink = Sink(waits: true)
        let runtime = try runtime(sink)
        let results = runtime.evaluateAll(for: Self.user, options: [])
        let count = results.selected.count { $0.impression != nil }
        runtime.sendImpressions(of: results) { sink.calls.add($0.decision.flagKey) }
        await runtime.sendImpressions(of: results, within: .seconds(10)) { sink.calls.add($0.decision.flagKey) }
        let keys = results.selected.map(\.flagKey)
        #expect(count > 1)
        #expect(sink.calls.all == ["\(count) events"] + keys + ["\(count) events, awaited"] + keys)
    }

    @Test func otherStoresGetEachEventBeforeItsNotification() async throws {
        let sink = Sink(waits: false)
        let runtime = try runtime(sink)
        let results = runtime.evaluateAll(for: Self.user, options: [])
        let calls = results.selected.flatMap { $0.impression == nil ? [$0.flagKey] : ["one event", $0.flagKey] }
        runtime.sendImpressions(of: results) { sink.calls.add($0.decision.flagKey) }
        await runtime.sendImpressions(of: results, within: .seconds(10)) { sink.calls.add($0.decision.flagKey) }
        #expect(sink.calls.all == calls + calls)
    }
}
