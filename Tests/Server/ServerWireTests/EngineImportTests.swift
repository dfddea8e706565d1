#if os(Linux) && Server && YAML
    import ServerTestSupport
    import TestProcesses
    import TestSupport
    import TurnoutServer
    import TurnoutSQLite

    /// The events from before an engine, which only the file of a server has.
    @Suite("Import to ClickHouse", .blocking)
    struct EngineImportTests {
        private let folder = TemporaryDirectory()

        private func output(_ arguments: [String]) async throws -> String {
            try await blocking { try ChildProcess.output(of: ServedProject.program, arguments) }
        }

        /// The errors of a command that fails.
        private func failure(_ arguments: [String]) async throws -> String {
            let error = await #expect(throws: (any Error).self) {
                try await blocking { try ChildProcess.run(ServedProject.program, arguments) }
            }
            return "\(try #require(error))"
        }

        /// Bodies whose events are identified, and described, in all ways that there are.
        private static var bodies: [[UInt8]] {
            let ids = ["", "u-\\u0000é", uuid(1).uppercased(), uuid(2), "aB" + uuid(3).dropFirst(2)]
            let long = ["long": "\"" + String(repeating: "x", count: 9_000) + "\""]
            return ids.enumerated().flatMap { number, id in
                [EventBodies.time - 5, 1].enumerated().flatMap { place, time in
                    func uuid(_ kind: Int) -> String { id.isEmpty ? "" : "\(id.prefix(34))\(place)\(kind)" }
                    let rollout = EventBodies.exposure(uuid: uuid(1), timestamp: time)
                        .replacing("\"variation_id\":\"41012\"", with: "\"x\":1").replacing(":true", with: ":0")
                    let purchase = EventBodies.conversion(
                        uuid: uuid(2), revenue: number, value: 1e-300 / 3, timestamp: time)
                    return [
                        ("v-\\u0000\\n\(number)", EventBodies.exposure(uuid: uuid(0), timestamp: time)),
                        ("w", rollout), ("v-5", purchase),
                        ("v-6", EventBodies.conversion("ping", uuid: uuid(3), revenue: nil, timestamp: time)),
                    ].map { EventBodies.body(EventBodies.visitor($0, $1, more: number == 2 ? long : [:])) }
                }
            } + [EventBodies.ten(1)]
        }

        private static func uuid(_ number: Int) -> String { EventBodies.uuid(number) }

        private func engine(_ server: ClickHouse) throws -> ClickHouseEngine {
            try #require(ClickHouseEngine([server.credentialed], node: "a", over: LiveTransport.make()))
        }

        @Test func importedEventsAreThoseOfTheLog() async throws {
            let server = try await ClickHouse()
            let engine = try engine(server)
            try await engine.setUp()
            let storage = ServerStorage.temporary()
            for body in Self.bodies { try await storage.log.append(body, receivedAt: EventBodies.time) }
            let forced = EventHash.visitor("v-5", of: "12001")
            let writing = EngineWriting(
                storage.log, to: engine, rejectingInto: storage.events, isForced: { $0 == forced }, messages: .silent)
            while writing.unreadSize > 0 { _ = try await writing.writeNext() }
            let counts = """
                SELECT uniqExact(event), (SELECT count() FROM (SELECT DISTINCT * FROM turnout_events) AS rows)
                FROM turnout_events
                """
            let before = try await server.query(counts)
            #expect(before == "50\t50")
            try EventProcessing(storage.log, into: storage.events, messages: .silent).processAll()
            try await BlockingCall.result { try storage.events.force([forced], at: EventBodies.time) }
            for _ in 0..<2 {
                let imported = try await EngineImport(directory: storage.directory, to: engine, messages: .silent).run()
                #expect(imported.written == 50 && imported.refused == 0)
            }
            #expect(try await server.query(counts) == before)
            #expect(try await server.query("SELECT count() FROM turnout_events") == "150")
        }

        @Test func resultsStayWhenTheEngineTakesTheEventsOver() async throws {
            let server = try await ClickHouse()
            let engine = try engine(server)
            let storage = ServerStorage(directory: folder.path, messages: folder.log)
            let events = (0..<400).map { number -> ScriptedEvent in
                let after = Int64(number) * 3 * ScriptedEvent.hour
                return number % 3 == 0
                    ? .purchase("v-\(number - 3)", number, after: after, revenue: number)
                    : .exposure("v-\(number / 2 * 3)", number % 2 == 0 ? "a" : "b", number, after: after)
            }
            try storage.events.write(events)
            // Those of running experiments are kept longer than other exposures.
            try storage.events.connection { connection in
                try connection.run(
                    """
                    INSERT INTO first_exposures(arm, visitor, timestamp, source, attributes)
                    SELECT arm, visitor, timestamp, source, attributes FROM exposures WHERE id <= 50;
                    DELETE FROM exposures WHERE id <= 50
                    """)
            }
            try storage.log.acknowledge(0, by: EventReader.engine(engine).name)
            let now = EventBodies.time + 60 * ScriptedEvent.day
            let selection = ResultSelection(
                projectID: "12001", experimentID: "4101", variationIDs: ["a", "b"],
                metrics: [.init(eventKey: "purchase")], now: now)
            let expected = try storage.events.distribution(selection)
            #expect(expected.visitors.count > 20)
            let shared = EventDatabase(directory: folder.path, engine: engine, log: folder.log)
            #expect(try shared.expire(EventRetention(), now: now) == 0)
            let results = ["results", "-o", "json", "--data", folder.path]
            #expect(try await output(results).contains(#""note":"the folder has only the events of its server"#))
            let place = ["--data", folder.path, "--engine", server.credentialed]
            #expect(try await failure(["engine", "import"] + place).contains("create the tables"))
            try await engine.setUp()
            try await server.query(
                "ALTER TABLE turnout_events ADD COLUMN n UInt8 MATERIALIZED toUInt8(if(visitor_id = 'v-9', 'x', '1'))")
            #expect(try await failure(["engine", "import"] + place).contains("refused 2 events"))
            #expect(try shared.expire(EventRetention(), now: now) == 0)
            try await server.query("ALTER TABLE turnout_events DROP COLUMN n")
            let text = try await output(["engine", "import"] + place)
            #expect(text == "400 events were written to \(server.address).\n")
            #expect(try shared.expire(EventRetention(), now: now) == 350)
            #expect(try shared.distribution(selection) == expected)
            #expect(try storage.events.distribution(selection) != expected)
            #expect(try await !output(results + place.suffix(2)).contains("note"))
            server.kill()
            #expect(try await failure(results + place.suffix(2)).contains(server.address))
        }
    }
#endif
