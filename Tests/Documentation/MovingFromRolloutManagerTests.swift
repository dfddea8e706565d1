import Foundation
import RolloutManager

#if SQLite
    import TurnoutSQLite
#endif

/// The code of "Moving from RolloutManager" works as described.
@Suite struct MovingFromRolloutManagerTests {
    private static var configuration: [AnyHashable: Any] {
        ["experiment_01": ["Variants": ["variant_01": 100, "variant_02": 0]]]
    }

    #if SQLite
        @Test func theSameCallsWork() throws {
            let directory = NSTemporaryDirectory() + "turnout-page-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let configuration = Self.configuration
            try ProgramStorage.$chosen.withValue(try SQLiteStorage(directory: directory)) { () throws in
                let manager = ADRolloutManager()
                manager.setup(withConfiguration: configuration)
                let variant = manager.variant(
                    byExperimentId: "experiment_01", defaultResult: "experiment_01_variant_02")
                #expect(variant == "experiment_01_variant_01")

                let path = directory + "/rollout.json"
                try Data(#"{"experiment_01": {"Variants": {"variant_03": 1}}}"#.utf8).write(to: URL(filePath: path))
                try manager.setup(withContentsOfFile: path)
                #expect(
                    manager.variant(byExperimentId: "experiment_01", defaultResult: "") == "experiment_01_variant_03")
            }
        }
    #endif

    /// Compiled but not run, because it uses the network. Its behavior is tested with an in-memory transport.
    private func connect(_ manager: ADRolloutManager) {
        let source = RolloutConfigurationSource(url: "https://example.com/rollout.plist")
        manager.setup(with: source)
        source.startRefreshing(every: .seconds(600))
    }

    @Test func everyDependencyCanBeInjected() {
        var services = RolloutServices()
        services.language = "en-GB"
        services.country = "CA"
        services.random = .seeded(7)
        services.draws = .memory
        let manager = ADRolloutManager(services: services)
        manager.setup(withConfiguration: [
            "exp": [
                "Settings": ["supported_countries": "US, CA", "supported_languages": "en"],
                "Variants": ["a": 1],
            ] as [String: Any]
        ])
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
    }

    @Test func theModernCallDecides() throws {
        let client = try FlagClient(datafile: shop)
        let user = client.user("ada", attributes: ["country": "US", "language": "en"])
        let variant = user.decide("checkout_redesign").variationKey ?? "control"
        #expect(["control", "one_page", "two_step"].contains(variant))
    }

    @Test func theModernColumnCompiles() async throws {
        let (bytes, userID) = (shop, "ada")
        let store = MemoryProfileStore()
        var configuration = ClientConfiguration()
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: bytes) }
        configuration.datafiles = .http(sdkKey: "ShopDemoSdkKey", transport: transport)
        configuration.pollingInterval = .seconds(600)
        configuration.profiles = store
        let client = FlagClient(configuration)
        try await client.start()
        #expect(client.user(userID).decide("experiment_01").variationKey ?? "variant_02" == "variant_02")
        store.forget(userID)
        await client.close()
    }
}
