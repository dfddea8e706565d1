import Optimizely
import OptimizelySDKiOS
import TestSupport

/// The vendor's interfaces as clients of a server, over sockets. Serialized: one of them has its address of events
/// for the whole process.
@Suite("The vendor's interfaces with a server", .serialized, .blocking)
struct VendorInterfaceTests {
    private let server: LiveServer
    private let ada: [String: Any] = ["country": "US", "orders": 12, "plan": "gold"]

    init() throws { server = try LiveServer() }

    private var environment: HostEnvironment {
        var environment = HostEnvironment()
        environment.transport = LiveTransport.make()
        return environment
    }

    @Test func optimizelyFollowsTheServer() async throws {
        let handler = DefaultDatafileHandler()
        handler.endPointStringFormat = server.address + "/datafiles/%@.json"
        handler.minimumPollingInterval = 1
        let settings = OptimizelySdkSettings(
            eventEndpoint: server.address + "/v1/events", euEventEndpoint: server.address + "/v1/events")
        let client = HostEnvironment.$override.withValue(environment) {
            OptimizelyClient(
                sdkKey: LiveServer.key, logger: SilentLogger(), datafileHandler: handler,
                periodicDownloadInterval: 1, defaultLogLevel: .error, settings: settings)
        }
        try await client.start()
        let local = HostEnvironment.$override.withValue(HostEnvironment()) {
            OptimizelyClient(sdkKey: "local", logger: SilentLogger(), defaultLogLevel: .error)
        }
        try local.start(datafile: Data(LiveServer.datafile()), doFetchDatafileBackground: false)
        for number in 0..<50 {
            let id = "user \(number)"
            let decision = client.createUserContext(userId: id, attributes: ada).decide(key: "checkout_redesign")
            let other = local.createUserContext(userId: id, attributes: ada).decide(key: "checkout_redesign")
            #expect(decision.variationKey == other.variationKey && decision.ruleKey == other.ruleKey)
            #expect(decision.variables.toMap().count == other.variables.toMap().count)
        }
        try client.createUserContext(userId: "user 0", attributes: ada).trackEvent(eventKey: "purchase")
        try server.publish(revision: "43")
        try await wait("revision 43") { (try? client.getOptimizelyConfig().revision) == "43" }
        try await blocking { client.close() }
        let events = try await server.events(atLeast: 51)
        #expect(events.count == 51 && Set(events.map { $0.text("uuid") }).count == 51)
        #expect(events.allSatisfy { $0.text("client_name") == "swift-sdk" })
        await server.stop()
    }

    @Test func optimizelySDKiOSFollowsTheServer() async throws {
        let standard = EventForDispatch.eventEndpoint
        EventForDispatch.eventEndpoint = server.address + "/v1/events"
        defer { EventForDispatch.eventEndpoint = standard }
        let manager = try #require(
            HostEnvironment.$override.withValue(environment) {
                let datafiles = OPTLYDatafileManagerDefault { [address = server.address] in
                    $0?.datafileConfig = OPTLYDatafileConfig(
                        projectId: nil, withSDKKey: LiveServer.key, withHost: address)
                    $0?.logger = OPTLYLoggerDefault(logLevel: .off)
                }
                return OPTLYManager {
                    $0?.sdkKey = LiveServer.key
                    $0?.datafileManager = datafiles
                    $0?.logger = OPTLYLoggerDefault(logLevel: .off)
                }
            })
        let result = OneShot<UncheckedSendable<OPTLYClient?>>()
        manager.initialize { _, client in result.end(UncheckedSendable(client)) }
        let client = try #require(await result.value()?.value)
        #expect(client.optimizely?.config?.revision == "42")
        #expect(client.activate("checkout_test", userId: "ada", attributes: ["country": "US", "orders": 12]) != nil)
        client.track("purchase", userId: "ada", eventTags: ["revenue": 4_250])
        let events = try await server.events(atLeast: 2)
        #expect(events.count == 2 && events.allSatisfy { $0.text("client_name") == "ios-sdk" })
        #expect(Set(events.map { $0.text("kind") }) == ["exposure", "conversion"])
        await server.stop()
    }
}
