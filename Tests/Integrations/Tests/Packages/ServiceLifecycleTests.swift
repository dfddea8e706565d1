import Logging
import ServiceLifecycle
import Testing
import TurnoutClient
import TurnoutMetrics
import TurnoutServiceLifecycle

@Suite struct RunningInAServiceGroup {
    private let log = MemoryLog()
    private let network = MemoryTransport()

    private func client(_ source: any DatafileSource, pollingInterval: Duration? = nil) -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.pollingInterval = pollingInterval
        configuration.log = log
        configuration.datafiles = source
        configuration.transport = network
        return FlagClient(configuration)
    }

    private func group(_ services: any Service...) -> ServiceGroup {
        ServiceGroup(services: services, logger: Logger(label: "test"))
    }

    @Test func startsWithItsGroupAndDeliversItsEventsAtTheEnd() async throws {
        let client = client(.memory(shop))
        let group = group(FlagClientService(client), MetricsPublisher(client))
        async let run: Void = group.run()
        try await wait("the datafile") { client.project != nil }
        try client.user("ada").track("purchase")
        #expect(network.requests.isEmpty)
        await group.triggerGracefulShutdown()
        try await run
        #expect(network.requests.count == 1)
    }

    @Test func eventsOfLaterServicesAreDelivered() async throws {
        let client = client(.memory(shop))
        let last = LastEvent(client: client)
        let group = group(FlagClientService(client), last)
        async let run: Void = group.run()
        try await wait("the datafile") { client.project != nil }
        await group.triggerGracefulShutdown()
        try await run
        #expect(network.requests.count == 1)
    }

    @Test func cancellingTheGroupDeliversTheEvents() async throws {
        let client = client(.memory(shop))
        let group = group(FlagClientService(client))
        let run = Task { try await group.run() }
        try await wait("the datafile") { client.project != nil }
        try client.user("ada").track("purchase")
        run.cancel()
        _ = await run.result
        #expect(network.requests.count == 1)
    }

    @Test func continuesToPollWithoutADatafile() async throws {
        let client = client(.memory([]), pollingInterval: .seconds(60))
        let group = group(FlagClientService(client))
        async let run: Void = group.run()
        try await wait("a message") { !log.entries.isEmpty }
        await group.triggerGracefulShutdown()
        try await run
        #expect(log.entries.first?.message.hasSuffix("polling continues") == true)
    }

    @Test func endsTheGroupIfThereWillBeNoDatafile() async throws {
        let group = group(FlagClientService(client(.memory([]))))
        await #expect(throws: StartError.self) { try await group.run() }
    }
}

/// A service that records an event when it ends.
private struct LastEvent: Service {
    let client: FlagClient

    func run() async throws {
        try? await gracefulShutdown()
        try client.user("ada").track("purchase")
    }
}
