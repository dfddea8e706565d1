import Foundation
import Optimizely

/// The code of "Moving from the Swift SDK" compiles, and the calls of its tables do what they say.
@Suite struct SwiftSDKPageTests {
    // Clients with one key share a profile service, which would keep assignments of the other tests.
    private let client = HostEnvironment.$override.withValue(HostEnvironment()) {
        OptimizelyClient(sdkKey: UUID().uuidString)
    }

    func printDecisions(of userIDs: [String], by client: OptimizelyClient) {
        let options: [OptimizelyDecideOption] = [.disableDecisionEvent, .ignoreUserProfileService]
        for userID in userIDs {
            let user = client.createUserContext(userId: userID, attributes: ["country": "US"])
            for (key, decision) in user.decideAll(options: options).sorted(by: { $0.key < $1.key }) {
                print(userID, key, decision.variationKey ?? "-", decision.enabled, decision.ruleKey ?? "-")
            }
        }
    }

    @Test func decisionsCanBeCompared() throws {
        try client.start(datafile: String(decoding: shop, as: UTF8.self))
        printDecisions(of: ["ada"], by: client)
        let user = client.createUserContext(userId: "ada", attributes: ["country": "US"])
        let ours = try FlagClient(datafile: shop).user("ada", attributes: ["country": "US"])
        let decisions = user.decideAll(options: [.disableDecisionEvent])
        #expect(!decisions.isEmpty && decisions.mapValues(\.variationKey) == ours.decideAll().mapValues(\.variationKey))
    }

    @Test func aBundledDatafileIsTheLastResort() async throws {
        try await client.start(bundledDatafile: .init(shop))
        let user = client.createUserContext(userId: "ada", attributes: ["country": "US", "orders": 12])
        #expect(user.decide(key: "checkout_redesign").variationKey == "one_page")
        await #expect(throws: (any Error).self) {
            try await HostEnvironment.$override.withValue(HostEnvironment()) { OptimizelyClient(sdkKey: "none") }
                .start()
        }
    }

    @Test func settingsHaveTheDocumentedNamesAndDefaults() {
        HostEnvironment.$override.withValue(HostEnvironment()) {
            let dispatcher = DefaultEventDispatcher(batchSize: 10, timerInterval: 60, maxQueueSize: 10_000)
            #expect(dispatcher.maximumAge == nil && DefaultDatafileHandler().minimumPollingInterval == 120)
            #expect(DefaultEventDispatcher.DefaultValues.batchSize == 10)
            #expect(DefaultEventDispatcher.DefaultValues.timeInterval == 60)
            #expect(DefaultEventDispatcher.DefaultValues.maxQueueSize == 10_000)
            _ = OptimizelySdkSettings(enableVuid: true)
        }
    }
}
