import Optimizely
import OptimizelySDKiOS

/// The code of "Moving from the Objective-C SDK", in a program without a network.
@Suite struct ObjectiveCTests {
    @Test func theOldCallsDecide() throws {
        let bundledDatafile = Data(shop)
        let (manager, variation) = HostEnvironment.$override.withValue(HostEnvironment()) {
            let manager = OPTLYManager(
                builder: OPTLYManagerBuilder(block: { builder in
                    builder?.sdkKey = "SDK_KEY_HERE"
                    builder?.datafile = bundledDatafile
                }))
            let client = manager?.initialize()
            let ada: [String: Any] = ["country": "US", "orders": 12]
            let variation = client?.activate("checkout_test", userId: "ada", attributes: ada)
            client?.track("purchase", userId: "ada", eventTags: ["revenue": 4250])
            return (manager, variation)
        }
        #expect(variation?.variationKey == "one_page")
        #expect(manager?.getOptimizely()?.optimizely != nil)
    }

    @Test func theModernCallsDoTheSame() async throws {
        let (bytes, id) = (shop, "ada")
        var configuration = ClientConfiguration()
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: bytes) }
        configuration.datafiles = .http(sdkKey: "ShopDemoSdkKey", transport: transport)
        configuration.bundledDatafile = bytes
        configuration.pollingInterval = .seconds(120)
        configuration.profiles = .memory
        (configuration.transport, configuration.eventStore) = (transport, .memory)
        let client = FlagClient(configuration)
        try client.startFromCacheOrBundle()
        try await client.start()
        let user = client.user(id, attributes: ["country": "US", "orders": 12])
        let alone = try FlagClient(datafile: bytes).user(id, attributes: user.attributes)
        #expect(alone.decide("checkout_redesign").isEnabled)
        #expect(user.decide("checkout_redesign").isEnabled)
        #expect(user.decide("checkout_redesign", options: .disableDecisionEvent).variables.integer("steps") != nil)
        #expect(user.decideAll(options: .enabledFlagsOnly).keys.contains("checkout_redesign"))
        let listener = client.addListener(to: .decisions) { _ in }
        #expect(client.forceVariation("two_step", inExperiment: "checkout_test", forUser: id))
        #expect(user.decide("checkout_redesign").variationKey == "two_step")
        try client.user(id).track("purchase", tags: ["revenue": 4250])
        client.removeListener(listener)
        await client.close()
    }
}
