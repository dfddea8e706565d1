import Configuration
import Logging
import OpenFeature
import ServiceLifecycle
import Testing
import Tracing
import TurnoutClient
import TurnoutConfiguration
import TurnoutCurl
import TurnoutLogging
import TurnoutMetrics
import TurnoutOpenFeature
import TurnoutServiceLifecycle
import TurnoutTracing

func makeClient(_ config: ConfigReader) throws -> FlagClient {
    var configuration = ClientConfiguration()
    configuration.log = .logger(Logger(label: "turnout"))
    configuration.transport = .curl.traced()
    configuration.pollingInterval = .seconds(60)
    try configuration.update(from: config.scoped(to: "turnout"))
    return FlagClient(configuration)
}

func makeGroup(_ client: FlagClient, _ server: any Service, logger: Logger) -> ServiceGroup {
    ServiceGroup(
        services: [MetricsPublisher(client), FlagClientService(client), server], gracefulShutdownSignals: [.sigterm],
        logger: logger)
}

/// The code of the page "In your service".
@Suite struct InYourService {
    @Test func aClientIsConfigured() throws {
        let client = try makeClient(ConfigReader(provider: InMemoryProvider(values: ["turnout.projectID": "1"])))
        #expect(client.project == nil)
    }

    @Test func theGroupRunsTheClientAndTheServer() async throws {
        var configuration = ClientConfiguration.quiet
        configuration.datafiles = .memory(shop)
        let client = FlagClient(configuration)
        let group = makeGroup(client, Server(), logger: Logger(label: "test"))
        async let run: Void = group.run()
        try await wait("the datafile") { client.project != nil }
        await group.triggerGracefulShutdown()
        try await run
    }

    @Test func aSpanNamesTheDecision() throws {
        let client = try FlagClient(datafile: shop, .quiet)
        let ada = client.user("ada", attributes: adasAttributes)
        let span = RecordingTracer().startSpan("GET /checkout")
        do {
            let checkout = ada.decide("checkout_redesign")
            span.addEvent(.decision(checkout))
        }
        #expect(span.events.map(\.name) == ["feature_flag.evaluation"])
    }

    @Test func openFeatureDecides() async throws {
        let client = try FlagClient(datafile: shop, .quiet)
        OpenFeatureSystem.setProvider(FlagClientProvider(client))
        let flags = OpenFeatureSystem.client()
        var ada = OpenFeatureEvaluationContext(targetingKey: "ada", fields: ["country": "US", "orders": 12])
        let isOn = await flags.value(for: "checkout_redesign", defaultingTo: false, context: ada)
        ada.fields["variableKey"] = "steps"
        let steps = await flags.value(for: "checkout_redesign", defaultingTo: 3, context: ada)
        #expect(
            isOn
                == client.user("ada", attributes: ["country": "US", "orders": 12]).decide("checkout_redesign").isEnabled
        )
        #expect(steps > 0)
    }
}

private struct Server: Service {
    func run() async throws { try? await gracefulShutdown() }
}
