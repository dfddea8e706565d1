#if SQLite
    import Optimizely
    import TurnoutSQLite

    /// The end of a program.
    @Suite struct ExitTests {
        private let directory = TemporaryDirectory()

        @Test func anExitLosesNoEventsAndAssignments() async throws {
            for round in 0..<rounds(3, thorough: 20) {
                await #expect(processExitsWith: .exitCode(0)) {
                    [directory = directory.path as String, round = round as Int] in
                    let client = try Self.client(directory)
                    for number in 0..<5 { client.activate("sticky", userId: "\(round)/\(number)") }
                    exit(0)
                }
                try expect(5 * (round + 1))
            }
        }

        @Test func closingDeliversEventsAndWritesAssignments() async throws {
            let setup = try Self.setup(directory.path)
            let manager = try Self.manager(setup)
            let client = try required(manager.initialize(withDatafile: OldDatafile().data))
            for number in 0..<5 { client.activate("sticky", userId: "\(number)") }
            manager.close()
            #expect(setup.servers.arrived.count == 5)
            #expect(try SQLiteStorage(directory: directory.path).profiles.count == 5)
            #expect(client.variation("sticky", userId: "ada")?.variationKey == "first")
        }

        @Test func closingAManagerClosesEarlierClients() throws {
            var setup = TestSetup()
            setup.environment.clock = ContinuousClock()
            setup.servers.setOffline(true)
            let manager = try Self.manager(setup)
            let first = try required(manager.initialize(withDatafile: OldDatafile().data))
            first.activate("sticky", userId: "ada")
            manager.eventDispatcher = setup.make { OPTLYEventDispatcherDefault { _ in } }
            manager.initialize(withDatafile: OldDatafile().data)
            setup.servers.setOffline(false)
            manager.close()
            #expect(setup.servers.arrived.count == 1)
        }

        @Test func closingLogsEventsThatStayQueued() async throws {
            let setup = try Self.setup(directory.path)
            setup.servers.setOffline(true)
            let client = try required(Self.manager(setup).initialize(withDatafile: OldDatafile().data))
            client.activate("sticky", userId: "ada")
            client.close(within: .milliseconds(100))
            #expect(setup.logger.texts(.warning).contains { $0.contains("1 event could not be delivered yet") })
            try expect(1)
        }

        private static func setup(_ directory: String) throws -> TestSetup {
            var setup = TestSetup()
            setup.environment.clock = ContinuousClock()
            setup.environment.storage = try SQLiteStorage(directory: directory, log: .silent)
            return setup
        }

        private static func manager(_ setup: TestSetup) throws -> OPTLYManager {
            try setup.make {
                try required(
                    OPTLYManager(
                        builder: OPTLYManagerBuilder {
                            $0?.sdkKey = "key"
                            $0?.logger = setup.logger
                            $0?.datafileManager = OPTLYDatafileManagerNoOp()
                        }))
            }
        }

        private static func client(_ directory: String) throws -> OPTLYClient {
            let setup = try setup(directory)
            setup.servers.setOffline(true)
            return try required(manager(setup).initialize(withDatafile: OldDatafile().data))
        }

        private func expect(_ count: Int) throws {
            let storage = try SQLiteStorage(directory: directory.path)
            #expect(storage.events(named: "objective-c impressions").count == count)
            #expect(try storage.profiles.count == count)
        }
    }
#endif
