import LoopbackServer
import Optimizely
import OptimizelySDKiOS
import TestSupport
import Testing
import TurnoutClient

/// Managers of the Objective-C interface download datafiles and send events.
@Suite(.blocking) struct ObjectiveCTests {
    private let network: TestNetwork
    private let key = unique("key")

    init() throws { network = try TestNetwork() }

    private func datafiles() throws -> OPTLYDatafileManagerDefault {
        try #require(
            network.make {
                OPTLYDatafileManagerDefault {
                    $0?.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: key)
                    $0?.datafileFetchInterval = 0.02
                    $0?.minimumFetchInterval = 0.02
                    $0?.logger = OPTLYLoggerDefault(logLevel: .off)
                }
            })
    }

    private func manager(_ datafiles: OPTLYDatafileManagerDefault) throws -> OPTLYManager {
        try #require(
            network.make {
                OPTLYManager {
                    $0?.sdkKey = key
                    $0?.datafileManager = datafiles
                    $0?.logger = OPTLYLoggerDefault(logLevel: .off)
                }
            })
    }

    private func initialized(_ manager: OPTLYManager) async -> OPTLYClient? {
        // A continuation would do, but ThreadSanitizer reports races when it is resumed before the task is suspended.
        let result = OneShot<UncheckedSendable<OPTLYClient?>>()
        manager.initialize { _, client in result.end(UncheckedSendable(client)) }
        return await result.value()?.value
    }

    private func revision(_ client: OPTLYClient?) -> String? { client?.optimizely?.config?.revision }

    @Test func polledDatafilesApplyFromTheNextStart() async throws {
        try network.publish(Datafile(), for: key, lastModified: "Wed, 01 Jan 2025 00:00:00 GMT")
        let datafiles = try datafiles()
        let manager = try manager(datafiles)
        let client = await initialized(manager)
        #expect(revision(client) == "1")
        let newer = Datafile(revision: "2")
        try network.publish(newer, for: key, lastModified: "Thu, 02 Jan 2025 00:00:00 GMT")
        try await wait("the newer datafile") { datafiles.getSavedDatafile(nil) == newer.data }
        // Some further responses without changes.
        let count = try network.requests(Address.datafile(key)).count
        let requests = try await network.requests(Address.datafile(key), atLeast: count + 2)
        #expect(requests.last?.headers["if-modified-since"] == "Thu, 02 Jan 2025 00:00:00 GMT")
        #expect(revision(client) == "1" && manager.getOptimizely() === client)
        #expect(client?.activate("old_experiment", userId: "ada")?.variationKey == "on")
        #expect(revision(manager.initialize()) == "2" && revision(client) == "1")
    }

    @Test func eventsArrive() async throws {
        try network.publish(Datafile(), for: key)
        let client = await initialized(try manager(try datafiles()))
        client?.activate("old_experiment", userId: "ada", attributes: ["plan": "gold"])
        let request = try #require(try await network.requests(Address.us, atLeast: 1).first)
        let payload = try JSONValue(parsing: Array(request.body))
        #expect(payload["client_name"] == .string("ios-sdk") && payload["region"] == nil)
        client?.track("purchase", userId: "ada", eventTags: ["revenue": 4_250])
        try await network.requests(Address.us, atLeast: 2)
    }
}
