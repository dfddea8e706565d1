#if os(Linux) && Server
    import LibC
    import ServerTestSupport
    import TestProcesses
    import TestSupport
    import TurnoutSQLite

    @testable import TurnoutServer

    /// Events of several servers in an engine.
    @Suite("Event engines", .blocking)
    struct EventEngineTests {
        /// A server's log, and its way to the engine.
        private struct Node {
            let storage = ServerStorage.temporary()
            let engine: any EventEngine
            let writing: EngineWriting

            init(
                _ server: any EngineServer, over transport: any Transport = LiveTransport.make(),
                batchSize: Int = 20_000
            ) throws {
                try self.init(#require(server.engine(over: transport)), batchSize: batchSize)
            }

            init(_ engine: any EventEngine, batchSize: Int = 20_000) {
                self.engine = engine
                var options = EngineWriting.Options()
                (options.batchSize, options.pageSize) = (batchSize, 1 << 20)
                writing = EngineWriting(
                    storage.log, to: engine, rejectingInto: storage.events,
                    isForced: { $0 == EventHash.visitor("v-5", of: "12001") }, options, messages: .silent)
            }

            func append(_ numbers: some Sequence<Int>) async throws {
                for number in numbers {
                    try await storage.log.append(EventBodies.ten(number), receivedAt: EventBodies.time)
                }
            }

            func writeAll() async throws { while writing.unreadSize > 0 { _ = try await writing.writeNext() } }
        }

        private static let counts = "SELECT count(DISTINCT event), max(kind) FROM turnout_events"

        @Test(arguments: EngineKind.allCases) func copiesInAnyOrderFromSeveralServersAreOneEvent(kind: EngineKind)
            async throws
        {
            let server = try await kind.server()
            let (one, other) = (try Node(server), try Node(server, batchSize: 7_000))
            await #expect(throws: EngineError.self) {
                try await one.append(0..<1); try await one.writeAll()
            }
            for _ in 0..<2 { try await one.engine.setUp() }
            try await one.append(1..<2_000)
            try await one.append(0..<2_000)
            try await other.append((0..<2_000).reversed())
            async let writing: Void = one.writeAll()
            try await other.writeAll()
            try await writing
            #expect(try await server.query(Self.counts) == "20000\t2")
            #expect(one.writing.counts.written == 40_000)
            let exposures =
                "SELECT count(*), count(DISTINCT user_id) FROM turnout_exposures WHERE experiment_id = '4101'"
            #expect(try await server.query(exposures) == "18000\t6667")
            let conversions = "SELECT count(*), sum(revenue), sum(value) FROM turnout_conversions"
            #expect(try await server.query(conversions) == "2000\t8500000\t85000")
            try await checkQueries(of: one.engine)
        }

        private func checkQueries(of engine: any EventEngine) async throws {
            var selection = ExposureSelection(projectID: "12001", experimentID: "4101")
            let exposures = try await engine.result(of: .exposures(selection))
            #expect(exposures.count == 6_667)
            #expect(exposures.texts(1)[0] == "41012" && exposures.texts(2)[0] == "python-sdk")
            #expect(exposures.integers(4)[0] == EventBodies.time)
            #expect(try await engine.result(of: .leftOut(selection)).count == 0)
            selection.start = EventBodies.time + 1
            #expect(try await engine.result(of: .exposures(selection)).count == 0)
            #expect(try await engine.result(of: .leftOut(selection)).integers(2) == [18_000])
            let purchases = ConversionSelection(projectID: "12001", eventKey: "purchase")
            let conversions = try await engine.result(of: .conversions(purchases))
            #expect(conversions.count == 2_000)
            #expect(conversions.integers(3)[9] == 4_250 && conversions.doubles(4)[9] == 42.5)
            let rule = RuleOutcomes(projectID: "12001", ruleID: "4101", eventKey: "purchase", start: 0)
            let outcomes = try await engine.result(of: .outcomes(rule))
            let visitors = outcomes.integers(0)
            #expect(outcomes.count == 20_000 && visitors == visitors.sorted())
            // A visitor with two exposures and one conversion.
            let visitor = EventHash.visitor("visitor-\(EventBodies.uuid(9 / 3 &* 7_919))", of: "12001")
            let totals = try await engine.result(of: .totals([visitor, 1], purchases))
            #expect(totals.integers(0)[0] == 1 && totals.doubles(1)[0] == 4_250)
        }

        @Test(arguments: EngineKind.allCases) func resultsAreThoseOfTheFile(kind: EngineKind) async throws {
            let server = try await kind.server()
            let node = try Node(server)
            try await node.engine.setUp()
            var random = SplitMix(state: 7)
            for number in 0..<3_000 {
                try await node.storage.log.append(Self.body(number, &random), receivedAt: EventBodies.time)
            }
            try await node.writeAll()
            try EventProcessing(node.storage.log, into: node.storage.events, messages: .silent).processAll()
            try await BlockingCall.result {
                try node.storage.events.force([EventHash.visitor("v-5", of: "12001")], at: EventBodies.time)
            }
            let folder = TemporaryDirectory()
            let shared = EventDatabase(directory: folder.path, engine: node.engine, log: folder.log)
            var selection = ResultSelection(
                projectID: "12001", experimentID: "4101", variationIDs: ["a", "b"],
                metrics: [.init(eventKey: "purchase"), .init(eventKey: "signup", window: 3_600_000)],
                now: EventBodies.time)
            for range in [nil, (EventBodies.time - 20_000_000, EventBodies.time - 1_000_000)] {
                (selection.start, selection.stop) = (range?.0, range?.1)
                selection.exclusions = [.bots, .attribute(name: "plan", value: "staff"), .user("v-3")]
                let (expected, found) = try await BlockingCall.result { [selection] in
                    try (node.storage.events.distribution(selection), shared.distribution(selection))
                }
                #expect(found == expected)
                #expect(expected.visitors.count > 1 && expected.sources.count > 2)
            }
            let rule = RuleOutcomes(
                projectID: "12001", ruleID: "4101", eventKey: "purchase", start: EventBodies.time - 9_000_000)
            let totals = ConversionSelection(projectID: "12001", eventKey: "purchase", start: 5)
            try await BlockingCall.result {
                var (expected, found) = ([String](), [String]())
                try node.storage.events.outcomes(rule) { expected.append("\($0)") }
                try shared.outcomes(rule) { found.append("\($0)") }
                #expect(expected.count > 500 && found.sorted() == expected.sorted())
                let users = ["v-1", "v-2", "nobody"]
                #expect(
                    try shared.totals(of: users, in: totals) == node.storage.events.totals(of: users, in: totals))
            }
        }

        /// An event of one of 400 visitors, of whom some change their variation, are programs, or have no clock.
        private static func body(_ number: Int, _ random: inout SplitMix) -> [UInt8] {
            let (visitor, uuid) = (Int.random(in: 0..<400, using: &random), EventBodies.uuid(number))
            let time = EventBodies.time - Int64.random(in: 0..<40_000_000, using: &random)
            let timestamp = Int.random(in: 0..<30, using: &random) == 0 ? 1 : time
            let more = [
                "plan": visitor % 50 == 0 ? "\"staff\"" : "1",
                "$opt_user_agent": visitor % 40 == 1 ? "\"Googlebot\"" : "\"Firefox\"",
            ]
            let crosses = Int.random(in: 0..<90, using: &random) == 0
            let snapshot =
                Bool.random(using: &random)
                ? EventBodies.exposure(
                    uuid: uuid, variation: (visitor % 2 == 0) != crosses ? "a" : "b", timestamp: timestamp)
                : EventBodies.conversion(
                    number % 3 == 0 ? "signup" : "purchase", uuid: uuid, revenue: number % 5 == 0 ? nil : number,
                    value: Double(number) / 7, timestamp: timestamp)
            return EventBodies.body(
                EventBodies.visitor("v-\(visitor)", snapshot, more: more), client: visitor % 9 == 0 ? "a" : "é")
        }

        @Test func aBodyThatIsCutOffStoresNothing() async throws {
            let server = try await ClickHouse()
            let cut = Locked(0)
            let transport = CuttingTransport { request in
                guard request.url.contains("INSERT") else { return request.body }
                return Array(request.body.prefix(request.body.count * cut.withLock { $0 } / 10))
            }
            let node = try Node(server, over: transport)
            try await node.engine.setUp()
            try await node.append(0..<20)
            for tenth in 1..<10 {
                cut.withLock { $0 = tenth }
                await #expect(throws: EngineError.self) { try await node.writing.writeNext() }
            }
            #expect(try await server.query("SELECT count() FROM turnout_events") == "0")
            cut.withLock { $0 = 10 }
            try await node.writeAll()
            #expect(try await server.query("SELECT count() FROM turnout_events") == "200")
            #expect(node.writing.counts.rejected == 0)
        }

        @Test(arguments: EngineKind.allCases) func anEventThatIsRefusedIsSetAsideAlone(kind: EngineKind) async throws {
            let server = try await kind.server()
            let node = try Node(server)
            try await node.engine.setUp()
            try await server.query(server.refusal.statement)
            // Alone, they are not set aside: the table could be at fault.
            for number in 1...30 {
                let bad = EventBodies.visitor("bad", EventBodies.exposure(uuid: "u-\(number)"))
                try await node.storage.log.append(EventBodies.body(bad), receivedAt: EventBodies.time)
            }
            await #expect(throws: EngineError.self) { try await node.writeAll() }
            try await node.append(0..<50)
            try await node.writeAll()
            #expect(try await server.query(Self.counts) == "500\t2")
            #expect(node.writing.counts.rejected == 30)
            let (reason, content) = try node.storage.events.connection { connection in
                let statement = try connection.statement("SELECT reason, content FROM rejected")
                #expect(try statement.step())
                defer { statement.reset() }
                return (statement.text(0), statement.text(1))
            }
            #expect(reason.contains(server.refusal.words))
            #expect(content.contains(#""visitor_id":"bad""#) && content.contains(#""uuid":"u-1""#))
        }

        @Test(arguments: EngineKind.allCases) func nothingIsLostWhenTheEngineIsKilled(kind: EngineKind) async throws {
            let server = try await kind.server()
            let node = try Node(server, batchSize: 500)
            try await node.engine.setUp()
            let task = Task { await node.writing.run() }
            for round in 0..<3 {
                let earlier = node.writing.counts.written
                try await node.append(round * 500..<(round + 1) * 500)
                try await wait("some of the events") { node.writing.counts.written > earlier }
                server.kill()
                try await node.append([round * 500])
                try await wait("the problem") { node.writing.problem != nil }
                try await server.start()
                try await wait("the events") { node.writing.unreadSize == 0 && node.writing.problem == nil }
            }
            task.cancel()
            await task.value
            #expect(try await server.query(Self.counts) == "15000\t2")
        }

        @Test(arguments: EngineKind.allCases) func aTableWithoutAColumnIsNotSetUp(kind: EngineKind) async throws {
            let server = try await kind.server()
            let engine = try Node(server).engine
            try await engine.setUp()
            try await engine.check()
            for statement in ["ALTER TABLE turnout_events DROP COLUMN revision", "DROP TABLE turnout_schema"] {
                try await server.query(statement)
            }
            await #expect(throws: EngineError.self) { try await engine.setUp() }
            let other = try Node(server).engine
            await #expect(throws: EngineError.self) { try await other.check() }
        }

        @Test(arguments: EngineKind.allCases) func aLongNameOfAClientIsNotRepeated(kind: EngineKind) async throws {
            let server = try await kind.server()
            let node = try Node(server)
            try await node.engine.setUp()
            let visitors = (0..<500).map { EventBodies.visitor("v-\($0)", EventBodies.exposure(uuid: "u-\($0)")) }
            let body = EventBodies.body(visitors.joined(separator: ","), client: String(repeating: "x", count: 1 << 20))
            try await node.storage.log.append(body, receivedAt: EventBodies.time)
            try await node.writeAll()
            #expect(try await server.query("SELECT count(*) FROM turnout_events WHERE client = ''") == "500")
        }

        @Test func eachServerHasAPartOfTheVisitors() async throws {
            let servers = [try await ClickHouse(), try await ClickHouse()]
            let engine = try #require(
                ClickHouseEngine(servers.map(\.credentialed), node: "a", over: LiveTransport.make()))
            try await engine.setUp()
            let node = Node(engine)
            try await node.append(0..<200)
            try await node.append(0..<200)
            try await node.writeAll()
            var visitors = 0
            for server in servers {
                let found = try await server.query("SELECT uniqExact(visitor) FROM turnout_events")
                visitors += try #require(Int(found))
                #expect(found != "0")
            }
            let exposures = ExposureSelection(projectID: "12001", experimentID: "4101")
            #expect(try await engine.result(of: .exposures(exposures)).count == 667)
            #expect(visitors == 667)
            let shared = EventDatabase(directory: node.storage.directory, engine: engine, log: .silent)
            let earlier = try await BlockingCall.result { try shared.progress() }
            try await servers[1].query("INSERT INTO turnout_events (visitor) VALUES (1)")
            #expect(try await BlockingCall.result { try shared.progress() } != earlier)
        }

        @Test(arguments: EngineKind.allCases) func aForgottenUserIsGone(kind: EngineKind) async throws {
            let server = try await kind.server()
            let node = try Node(server)
            try await node.engine.setUp()
            for (number, id) in ["ada", #"o'ha\ra"#, "grace"].enumerated() {
                let text = id.replacing("\\", with: "\\\\")
                let visitor = EventBodies.visitor(text, EventBodies.exposure(uuid: "\(number)"))
                try await node.storage.log.append(EventBodies.body(visitor), receivedAt: EventBodies.time)
            }
            try await node.writeAll()
            try await node.writing.forget(["ada", #"o'ha\ra"#])
            #expect(try await server.query("SELECT visitor_id FROM turnout_events") == "grace")
        }

        #if PostgreSQL
            @Test func aDamagedTextIsWritten() async throws {
                let server = try await PostgreSQL()
                let node = try Node(server)
                try await node.engine.setUp()
                for (number, id) in [#"a\u0000b"#, "a\u{1}b", "é"].enumerated() {
                    let visitor = EventBodies.visitor(id, EventBodies.exposure(uuid: "\(number)"))
                    let body = EventBodies.body(visitor).map { $0 == 1 ? 0xFF : $0 }
                    try await node.storage.log.append(body, receivedAt: EventBodies.time)
                }
                try await node.writeAll()
                let ids = try await server.query("SELECT visitor_id FROM turnout_events ORDER BY 1")
                #expect(ids == "a\u{FFFD}b\na\u{FFFD}b\né")
                #expect(node.writing.counts.written == 3)
                try await node.writing.forget(["a\0b"])
                #expect(try await server.query("SELECT visitor_id FROM turnout_events") == "é")
            }

            @Test func failuresHaveWords() async throws {
                let server = try await PostgreSQL()
                let node = try Node(server)
                try await node.engine.setUp()
                try await node.append(0..<1)
                func words(_ engine: any EventEngine) async throws -> String {
                    let error = await #expect(throws: EngineError.self) { try await Node(engine).engine.setUp() }
                    return error?.description ?? ""
                }
                let address = server.credentialed
                let stranger = try #require(PostgreSQLEngine(address.replacing("p%26%25s", with: "x"), node: "a"))
                #expect(try await words(stranger).contains("password authentication failed"))
                for secret in ["postgresql://h/d?password=x", "postgresql://u:a/b@h/d", "postgresql://u:a?b@h/d"] {
                    #expect(PostgreSQLEngine(secret, node: "a") == nil)
                }
                let hasty = try #require(PostgreSQLEngine(address, node: "a", writingTime: .milliseconds(300)))
                #expect(!hasty.description.contains("turnout"))
                server.signal(SIGSTOP)
                #expect(try await words(hasty).hasSuffix("no answer within 300 ms"))
                server.signal(SIGCONT)
                try await node.writeAll()
                for change in ["UPDATE turnout_schema SET version = 0", "DROP TABLE turnout_schema"] {
                    try await server.query(change)
                    let error = await #expect(throws: EngineError.self) { try await server.engine()?.forget([]) }
                    #expect(error?.description.contains("turnout engine setup") == true)
                }
                // The version was checked before.
                try await server.query("DROP TABLE turnout_events CASCADE")
                try await node.append(1..<2)
                await #expect(throws: EngineError.self) { try await node.writeAll() }
                try await node.engine.setUp()
                try await node.writeAll()
                #expect(node.writing.counts.written == 20)
            }

            @Test func nothingIsLostWhenAProcessOfTheEngineIsKilled() async throws {
                let server = try await PostgreSQL()
                let node = try Node(server, batchSize: 500)
                try await node.engine.setUp()
                let task = Task { await node.writing.run() }
                for round in 0..<3 {
                    try await node.append(round * 500..<(round + 1) * 500)
                    let own = """
                        SELECT max(pid) FROM pg_stat_activity
                        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                        """
                    try await wait("a connection") { Int32((try? await server.query(own)) ?? "") != nil }
                    // Then all of its processes end, and it repairs its files.
                    kill(try #require(Int32(try await server.query(own))), SIGKILL)
                    try await wait("the events") { node.writing.unreadSize == 0 && node.writing.problem == nil }
                }
                task.cancel()
                await task.value
                #expect(try await server.query(Self.counts) == "15000\t2")
            }
        #endif
    }

    /// Changes the bodies of requests.
    private struct CuttingTransport: Transport {
        let body: @Sendable (HTTPRequest) -> [UInt8]

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            var request = request
            request.body = body(request)
            return try await LiveTransport.make().send(request)
        }
    }

    extension EngineResult {
        fileprivate func integers(_ column: Int) -> [Int64] { blocks.flatMap { $0.integers(column) } }
        fileprivate func doubles(_ column: Int) -> [Double] { blocks.flatMap { $0.doubles(column) } }
        fileprivate func texts(_ column: Int) -> [String] {
            blocks.flatMap { block in block.rows.map { block.texts(column)[$0] } }
        }
    }
#endif
