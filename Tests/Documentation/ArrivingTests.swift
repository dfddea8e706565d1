#if SQLite
    import Foundation
    import TestSupport
    import TurnoutSQLite

    /// The code of "Operating a client" works as described.
    @Suite struct ArrivingTests {
        private let temporary = TemporaryDirectory()
        private var directory: String { temporary.path }

        @Test func eventsOutlastTheProcess() async throws {
            do {
                let storage = SQLiteStorage.open(directory: directory)
                var configuration = ClientConfiguration()
                configuration.keep(in: storage)
                let client = try FlagClient(datafile: shop, configuration)
                try client.user("ada").track("purchase")

                await client.close(within: .seconds(5))
            }
            let transport = MemoryTransport()
            var configuration = ClientConfiguration()
            configuration.keep(in: SQLiteStorage.open(directory: directory, log: temporary.log))
            configuration.transport = transport
            let client = try FlagClient(datafile: shop, configuration)
            await client.flush()
            #expect(transport.requests.count == 1)
        }

        @Test func trackingReportsEventsThatAreNotDurable() async throws {
            var options = SQLiteOptions()
            options.durability = .beforeReturning
            options.survives = .powerLoss
            var configuration = ClientConfiguration()
            configuration.log = .silent
            configuration.keep(in: SQLiteStorage.open(directory: "/dev/null/nowhere", options, log: .silent))
            let client = try FlagClient(datafile: shop, configuration)
            #expect(throws: TrackError.notDurable) { try client.user("ada").track("purchase") }
            await #expect(throws: TrackError.notDurable) {
                try await client.user("ada").track("purchase", within: .seconds(1))
            }
        }

        @Test func lossesAreCounted() throws {
            var configuration = ClientConfiguration()
            configuration.log = .silent
            configuration.eventStore = .memory(limit: 1)
            let client = try FlagClient(datafile: shop, configuration)
            try client.user("ada").track("purchase")
            #expect(throws: TrackError.lost) { try client.user("ada").track("purchase") }

            let lost = client.lostEvents
            if lost.total > 0 { print("lost: \(lost)") }
            #expect("\(lost)" == "1 no room")
        }
    }
#endif
