import Configuration
import Testing
import TurnoutClient
import TurnoutConfiguration

@Suite struct ReadingTheConfiguration {
    private func configuration(_ values: [AbsoluteConfigKey: ConfigValue]) throws -> ClientConfiguration {
        var configuration = ClientConfiguration.quiet
        configuration.transport = .memory
        let config = ConfigReader(provider: InMemoryProvider(values: values))
        try configuration.update(from: config.scoped(to: "turnout"))
        return configuration
    }

    @Test func settingsWithoutAValueStay() throws {
        let configuration = try configuration(["other.pollingInterval": 60])
        #expect(configuration.pollingInterval == nil)
        #expect(configuration.datafiles == nil)
        #expect(configuration.events.eventsPerRequest == EventOptions().eventsPerRequest)
    }

    @Test func settingsAreReadWithTheirTypes() throws {
        let configuration = try configuration([
            "turnout.projectID": "4711", "turnout.pollingInterval": 60, "turnout.minimumPollingInterval": 1.5,
            "turnout.events.interval": 0.25, "turnout.events.eventsPerRequest": 50, "turnout.events.requestDeadline": 3,
            "turnout.events.maximumAge": 86_400, "turnout.events.endpoints.us": "https://us.example.com/v1/events",
            "turnout.events.endpoints.eu": "https://eu.example.com/v1/events", "turnout.maximumDatafileAge": 900,
            "turnout.countsDecisions": true,
        ])
        #expect(configuration.events.endpoints.us == "https://us.example.com/v1/events")
        #expect(configuration.events.endpoints.eu == "https://eu.example.com/v1/events")
        #expect(configuration.maximumDatafileAge == .seconds(900))
        #expect(configuration.countsDecisions)
        #expect(configuration.projectID == "4711")
        #expect(configuration.pollingInterval == .seconds(60))
        #expect(configuration.minimumPollingInterval == .milliseconds(1_500))
        #expect(configuration.events.interval == .milliseconds(250))
        #expect(configuration.events.eventsPerRequest == 50)
        #expect(configuration.events.requestDeadline == .seconds(3))
        #expect(configuration.events.maximumAge == .seconds(86_400))
    }

    @Test func environmentVariablesAreConverted() throws {
        var configuration = ClientConfiguration.quiet
        let variables = ["TURNOUT_POLLING_INTERVAL": "45", "TURNOUT_EVENTS_EVENTS_PER_REQUEST": "7"]
        let config = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
        try configuration.update(from: config.scoped(to: "turnout"))
        #expect(configuration.pollingInterval == .seconds(45))
        #expect(configuration.events.eventsPerRequest == 7)
    }

    @Test func theDatafileIsDownloadedWithKeyAndToken() async throws {
        let network = MemoryTransport { _ in HTTPResponse(status: 200, body: shop) }
        var configuration = ClientConfiguration.quiet
        configuration.transport = network
        let values: [AbsoluteConfigKey: ConfigValue] = [
            "sdkKey": ConfigValue(.string("shop-key"), isSecret: true),
            "datafile.token": ConfigValue(.string("shop-token"), isSecret: true),
            "datafile.address": "https://cdn.example.com/{sdkKey}.json", "datafile.deadline": 2,
        ]
        try configuration.update(from: ConfigReader(provider: InMemoryProvider(values: values)))
        _ = try? await configuration.datafiles?.newest()
        let request = try #require(network.requests.first)
        #expect(request.url == "https://cdn.example.com/shop-key.json")
        #expect(request.headers["Authorization"] == "Bearer shop-token")
        #expect(request.deadline == .seconds(2))
    }

    @Test func aZeroAgeIsNotALimit() throws {
        var configuration = ClientConfiguration.quiet
        configuration.maximumDatafileAge = .seconds(60)
        let config = ConfigReader(provider: InMemoryProvider(values: ["maximumDatafileAge": 0]))
        try configuration.update(from: config)
        #expect(configuration.maximumDatafileAge == nil)
    }

    @Test func changesCanBeStreamed() async throws {
        let network = MemoryTransport { _ in HTTPResponse(status: 200, body: shop) }
        network.respondToStreams { _ in StreamedResponse(status: 200, body: AsyncThrowingStream { _ in }) }
        var configuration = ClientConfiguration.quiet
        configuration.transport = network
        let values: [AbsoluteConfigKey: ConfigValue] = [
            "sdkKey": "shop-key", "datafile.address": "https://flags.example.com/{sdkKey}.json",
            "datafile.streaming": true, "datafile.changesAddress": "https://changes.example.com/{sdkKey}",
        ]
        try configuration.update(from: ConfigReader(provider: InMemoryProvider(values: values)))
        let client = FlagClient(configuration)
        _ = try? await client.start()
        try await wait("the second request") { network.requests.count >= 2 }
        #expect(network.requests.contains { $0.url == "https://changes.example.com/shop-key" })
        await client.close()
    }

    @Test func streamingNeedsATransportThatStreams() {
        struct RequestsOnly: Transport {
            func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: 204) }
        }
        var configuration = ClientConfiguration.quiet
        configuration.transport = RequestsOnly()
        let config = ConfigReader(
            provider: InMemoryProvider(values: ["sdkKey": "shop-key", "datafile.streaming": true]))
        let error = #expect(throws: ConfigurationError.self) { try configuration.update(from: config) }
        #expect(error?.key == "datafile.streaming" && error?.problem == .noStreamingTransport)
    }

    @Test(
        arguments: [
            ("pollingInterval", .string("soon")), ("pollingInterval", .int(-1)), ("pollingInterval", .bool(true)),
            ("countsDecisions", .string("perhaps")), ("events.eventsPerRequest", .int(0)),
            ("events.eventsPerRequest", .double(2.5)), ("sdkKey", .string("")), ("sdkKey", .int(5)),
        ] as [(String, ConfigContent)])
    func aValueThatCannotBeUsedIsAnError(key: String, content: ConfigContent) throws {
        let absolute = AbsoluteConfigKey(["turnout"] + key.split(separator: ".").map(String.init))
        #expect { _ = try configuration([absolute: ConfigValue(content, isSecret: false)]) } throws: { error in
            guard let error = error as? ConfigurationError else { return false }
            return error.key == key && error.description.hasPrefix("the configuration value \(key) is not ")
        }
    }

    @Test func anErrorChangesNothing() {
        var configuration = ClientConfiguration.quiet
        let values: [AbsoluteConfigKey: ConfigValue] = ["projectID": "4711", "events.interval": "often"]
        #expect(throws: ConfigurationError.self) {
            try configuration.update(from: ConfigReader(provider: InMemoryProvider(values: values)))
        }
        #expect(configuration.projectID == nil)
    }

    @Test func aKeyNeedsATransport() {
        var configuration = ClientConfiguration.quiet
        let config = ConfigReader(provider: InMemoryProvider(values: ["sdkKey": "shop-key"]))
        #expect { try configuration.update(from: config) } throws: {
            "\($0)" == "the configuration value sdkKey needs a transport; set ClientConfiguration.transport before "
                + "reading it"
        }
    }
}
