#if SQLite
    import Optimizely
    import OptimizelySDKCore
    import TurnoutSQLite

    /// Events in the file of the Objective-C library.
    @Suite struct EarlierEventTests {
        private let directory = TemporaryDirectory(isCreated: true)
        private var setup = TestSetup()
        private var path: String { directory.path + "/optly-database.sqlite" }

        init() throws {
            setup.environment.storage = try SQLiteStorage(directory: directory.path + "/storage", log: directory.log)
        }

        private func database() throws -> SQLiteConnection {
            if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
            let file = try SQLiteConnection(path: path)
            file.wait(milliseconds: 10_000)
            return file
        }

        private func fill(_ table: String, _ events: [String]) throws {
            let file = try database()
            try file.run(
                "CREATE TABLE \(table)(id INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT NOT NULL, timestamp INTEGER)")
            for event in events {
                let row = try file.statement("INSERT INTO \(table)(json, timestamp) VALUES(?, 1)")
                row.bind(1, event)
                try row.run()
            }
        }

        private func count(_ table: String) throws -> Int64 {
            let file = try database()
            let statement = try file.statement("SELECT count(*) FROM \(table)")
            _ = try statement.step()
            let count = statement.int(0)
            statement.reset()
            return withExtendedLifetime(file) { count }
        }

        private func dispatcher() throws -> OPTLYEventDispatcherDefault { try dispatcher(of: setup) }

        private func dispatcher(of setup: TestSetup) throws -> OPTLYEventDispatcherDefault {
            var setup = setup
            setup.environment.earlierEvents = path
            return try required(setup.make { OPTLYEventDispatcherDefault { $0?.logger = setup.logger } })
        }

        @Test func earlierEventsAreSentOnceOldestFirst() async throws {
            try fill("impression_events", [#"{"n":1}"#, #"{"n":2}"#, "damaged", #"{"clientEngine":"ios-sdk"}"#])
            try fill("conversion_events", [#"{"n":3}"#])
            for _ in 1...2 {
                let dispatcher = try dispatcher()
                try await wait("events") { setup.servers.arrived.count == 4 }
                withExtendedLifetime(dispatcher) {}
            }
            // Those of another address, and of another table, come in between.
            let sent = setup.servers.arrived
            #expect(sent.filter { [#"{"n":1}"#, #"{"n":2}"#].contains($0) } == [#"{"n":1}"#, #"{"n":2}"#])
            let old = setup.servers.posts.filter { $0.url == "https://logx.optimizely.com/log/decision" }
            #expect(old.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"clientEngine":"ios-sdk"}"#])
            #expect(try count("impression_events") == 0 && count("conversion_events") == 0)
            #expect(setup.logger.texts(.warning).count { $0.contains("not JSON objects, and are lost: 1") } == 1)
        }

        @Test func earlierEventsStayIfNothingElseIsDurable() async throws {
            try fill("impression_events", [#"{"n":1}"#])
            var setup = setup
            setup.environment.storage = MemoryStorage()
            let dispatcher = try dispatcher(of: setup)
            dispatcher.dispatchImpressionEvent(["n": 2])
            try await wait("an event") { setup.servers.arrived == [#"{"n":2}"#] }
            #expect(try count("impression_events") == 1)
        }

        @Test func aDamagedFileIsReported() async throws {
            try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: path))
            let dispatcher = try dispatcher()
            try await wait("a warning") { setup.logger.texts(.warning).count == 1 }
            #expect(setup.logger.texts(.warning)[0].contains("stay in its file"))
            withExtendedLifetime(dispatcher) {}
        }
    }
#endif
