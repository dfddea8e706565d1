#if Server && Curl && os(Linux)
    import Optimizely
    import OptimizelySDKiOS
    import RolloutManager
    import TestSupport
    import TurnoutCurl
    import TurnoutServer

    /// Programs for RolloutManager and for the Objective-C library get what they need from a server.
    @Suite(.blocking) struct RolloutClientTests {
        private func publish(_ variant: String, _ shop: SegmentServer) throws {
            let configuration = #"{"exp": {"Variants": {"\#(variant)": 1}}}"#
            try shop.server.rollouts.publish(
                Array(configuration.utf8), for: RolloutKey(name: "app"), from: "app.plist")
        }

        @Test func rolloutManagerLoadsItsConfiguration() async throws {
            let shop = try SegmentServer()
            try publish("a", shop)
            let source = RolloutConfigurationSource(
                url: shop.address + "/rollouts/app/5.2.plist", transport: CurlTransport(), cache: .memory)
            var services = RolloutServices()
            services.draws = .memory
            let manager = ADRolloutManager(services: services)
            manager.setup(with: source)
            #expect(try await source.refresh())
            #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
            #expect(try await !source.refresh())
            try publish("b", shop)
            #expect(try await source.refresh())
            #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_b")
            await shop.stop()
        }

        @Test func theObjectiveCLibraryLoadsADatafileByProject() async throws {
            let shop = try SegmentServer()
            var environment = HostEnvironment()
            environment.transport = RedirectedTransport(to: shop.address)
            environment.storage = MemoryStorage()
            let manager = try #require(
                HostEnvironment.$override.withValue(environment) {
                    OPTLYManager {
                        $0?.projectId = SegmentServer.projectID
                        $0?.logger = OPTLYLoggerDefault(logLevel: .off)
                    }
                })
            let result = OneShot<UncheckedSendable<OPTLYClient?>>()
            manager.initialize { _, client in result.end(UncheckedSendable(client)) }
            let client = await result.value()?.value
            #expect(client?.optimizely?.config?.revision == "7")
            await shop.stop()
        }
    }
#endif
