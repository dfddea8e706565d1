#if SQLite && Curl && os(Linux)
    import Foundation
    import TestSupport
    import TurnoutCurl
    import TurnoutSQLite

    func makeClient(directory: String) -> FlagClient {
        let storage = SQLiteStorage.open(directory: directory)
        var configuration = ClientConfiguration()
        configuration.keep(in: storage)
        configuration.transport = .curl
        configuration.datafiles = .http(sdkKey: "<Your_SDK_Key>", transport: .curl, cache: storage.datafiles)
        configuration.pollingInterval = .seconds(60)
        return FlagClient(configuration)
    }

    /// The client for production of "First steps" starts with cached datafiles, and stores assignments. No test uses
    /// the network.
    @Suite struct ProductionClientTests {
        private let temporary = TemporaryDirectory()
        private var directory: String { temporary.path }

        @Test func serversStartWithTheCachedDatafile() async throws {
            let storage = try SQLiteStorage(directory: directory)
            try storage.datafiles.keep(DatafileCopy(datafile: try renamed(shop)), for: "<Your_SDK_Key>")
            let client = makeClient(directory: directory)
            try client.startFromCacheOrBundle(refreshing: false)
            client.stopPolling()
            let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
            #expect(ada.decide("checkout_redesign", options: .disableDecisionEvent).variationKey == "one_page")
            // Assignments are written to the file soon, not immediately.
            var kept: [String: String] = [:]
            for _ in 0..<6_000 where kept.isEmpty {
                try await Task.sleep(for: .milliseconds(5))
                kept = try storage.profiles.profile(of: "ada").assignments
            }
            #expect(kept == ["4101": "41013"])
        }

        /// The shop's datafile with the SDK key of the page.
        private func renamed(_ datafile: [UInt8]) throws -> [UInt8] {
            let project = try Project(datafile: datafile)
            let text = String(decoding: datafile, as: UTF8.self)
            guard let key = project.sdkKey, !key.isEmpty else { return datafile }
            return Array(text.replacing(key, with: "<Your_SDK_Key>").utf8)
        }
    }
#endif
