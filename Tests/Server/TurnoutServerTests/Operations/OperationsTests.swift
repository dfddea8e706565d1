import TestSupport
import TurnoutServer

@Suite("Operations")
struct OperationsTests {
    private static let ada = #"{"context":{"targetingKey":"ada"}}"#
    private static let evaluation = "/ofrep/v1/evaluate/flags/checkout_redesign"

    // MARK: Health and readiness

    @Test func aProcessIsAliveWheneverItAnswers() async throws {
        let shop = try ShopServer()
        #expect(await shop.response("GET", "/health", [:]).text == "{\"status\":\"ok\"}\n")
    }

    @Test func aServerIsReadyFromItsStartUntilItDrains() async throws {
        let shop = try ShopServer()
        func ready() async -> ServerResponse { await shop.response("GET", "/ready", [:]) }
        #expect(await ready().status == 503)
        _ = try shop.server.start()
        #expect(await ready().text == "{\"status\":\"ready\"}\n")
        let stop = Task { await shop.server.stop() }
        try await wait("the delay of the stop") { shop.clock.sleeperCount >= 3 }
        let draining = await ready()
        #expect(draining.status == 503)
        #expect(try draining.json["problems"]?["server"] == .string("the server is draining"))
        // Kubernetes would kill a server that is not healthy while it ends its requests.
        #expect(await shop.response("GET", "/health", [:]).text == "{\"status\":\"ok\"}\n")
        #expect(await shop.response("GET", "/any/health", [:]).status == 200)
        // Requests are still answered, until load balancers have noticed.
        #expect(await shop.response("POST", Self.evaluation, body: Self.ada).status == 200)
        #expect(!shop.listener.isStopped)
        shop.clock.advance(by: .seconds(1))
        await stop.value
        #expect(shop.listener.isStopped)
    }

    /// With an unknown name, conditions see no value.
    @Test func attributesThatTheDatafileDoesNotKnowAreCounted() async throws {
        let shop = try ShopServer { $0.access.allowsLocalManagement = true }
        func ask(_ attributes: String) async {
            let body = #"{"context":{"targetingKey":"ada",\#(attributes)}}"#
            #expect(await shop.response("POST", Self.evaluation, body: body).status == 200)
        }
        for _ in 0..<2 { await ask(#""contry":"US","country":"US","$opt_user_agent":"x""#) }
        var unknown = try await shop.response("GET", "/status").json["unknownAttributes"]
        #expect(unknown == .object(["names": .object(["contry": .integer(2)]), "others": .integer(0)]))
        // Requests cannot fill the memory.
        for number in 0..<150 { await ask("\"name\(number)\":1") }
        await ask("\"\(String(repeating: "n", count: 101))\":1")
        unknown = try await shop.response("GET", "/status").json["unknownAttributes"]
        #expect(unknown?["others"] == .integer(52))
        let names = if case .object(let names)? = unknown?["names"] { names } else { [String: JSONValue]() }
        #expect(names.count == 100)
        #expect(await shop.response("GET", "/metrics").text.contains("turnout_unknown_attributes_total 153\n"))
    }

    @Test func aServerWithoutDatafilesIsNotReady() async throws {
        let shop = try ShopServer()
        _ = try shop.server.start()
        shop.server.datafiles.remove(ShopServer.key)
        let response = await shop.response("GET", "/ready", [:])
        #expect(response.status == 503)
        #expect(try response.json["problems"]?["datafiles"] == .string("no datafile is loaded"))
        await shop.server.stop(immediately: true)
    }

    @Test func aServerThatNeedsNoDatafileIsReadyWithoutOne() async throws {
        for change in ["upstream", "rollouts"] {
            let shop = try ShopServer {
                if change == "upstream" { $0.upstream = "https://flags.example" } else { $0.rollouts = "folder" }
            }
            _ = try shop.server.start()
            shop.server.datafiles.remove(ShopServer.key)
            #expect(await shop.response("GET", "/ready", [:]).status == 200, "\(change)")
            await shop.server.stop(immediately: true)
        }
        // Keys that are named are expected.
        let shop = try ShopServer {
            $0.upstream = "https://flags.example"
            $0.sdkKeys = ["key"]
        }
        _ = try shop.server.start()
        shop.server.datafiles.remove(ShopServer.key)
        #expect(await shop.response("GET", "/ready", [:]).status == 503)
        await shop.server.stop(immediately: true)
    }

    @Test func streamsEndWhenTheServerStops() async throws {
        let shop = try ShopServer()
        let response = await shop.response("GET", "/ofrep/v1/stream/" + ShopServer.key, [:])
        _ = response.streamed
        await shop.server.stop(immediately: true)
        guard case .stream(let stream) = response.body else { return #expect(Bool(false)) }
        #expect(stream.read() == .end)
    }

    // MARK: Status and metrics

    @Test func healthAndBatchesAreCounted() async throws {
        let shop = try ShopServer()
        for _ in 0..<2 { _ = await shop.response("GET", "/any/health", [:]) }
        _ = await shop.response("POST", "/v1/batch", body: #"{"operations":[]}"#)
        _ = await shop.response("POST", "/v1/batch", body: "{")
        _ = await shop.response("GET", "/ready", ["Host": "other.example"])
        let text = await shop.response("GET", "/metrics").text
        func count(_ method: String, _ route: String, _ status: Int) -> String {
            "turnout_http_requests_total{method=\"\(method)\",route=\"\(route)\",status=\"\(status)\"} "
        }
        #expect(text.contains(count("GET", "/health", 200) + "2\n"))
        #expect(text.contains(count("POST", "*/batch", 200) + "1\n"))
        #expect(text.contains(count("POST", "*/batch", 400) + "1\n"))
        #expect(text.contains(count("GET", "/ready", 404) + "1\n"))
    }

    @Test func theStatusDescribesTheDatafiles() async throws {
        let shop = try ShopServer()
        shop.clock.advance(by: .seconds(90))
        let status = try await shop.response("GET", "/status", [:]).json
        #expect(status["uptimeSeconds"] == .integer(90))
        guard case .array(let datafiles)? = status["datafiles"] else { return #expect(Bool(false)) }
        #expect(datafiles.map { $0["revision"] } == [.string("42")])
        #expect(datafiles[0]["environment"] == .string("demo"))
        #expect(datafiles[0]["flags"] == .integer(7))
        #expect(datafiles[0]["changed"] == .string("1970-01-01T00:16:40.000Z"))
    }

    @Test func requestsAreCountedByRouteAndStatus() async throws {
        let shop = try ShopServer()
        for _ in 1...3 { _ = await shop.response("POST", Self.evaluation, body: Self.ada) }
        _ = await shop.response("POST", Self.evaluation, body: "{")
        _ = await shop.response("GET", "/unknown/ada")
        _ = await shop.response("DELETE", "/health")
        let text = await shop.response("GET", "/metrics", [:]).text
        let route = #"method="POST",route="/ofrep/v1/evaluate/flags/{key…}""#
        #expect(text.contains("turnout_http_requests_total{\(route),status=\"200\"} 3\n"))
        #expect(text.contains("turnout_http_requests_total{\(route),status=\"400\"} 1\n"))
        #expect(text.contains("turnout_http_requests_total{method=\"other\",route=\"unknown\",status=\"404\"} 1\n"))
        #expect(text.contains("turnout_http_requests_total{method=\"other\",route=\"unknown\",status=\"405\"} 1\n"))
        #expect(text.contains("turnout_http_request_duration_seconds_bucket{\(route),le=\"5e-05\"} 4\n"))
        #expect(text.contains("turnout_http_request_duration_seconds_count{\(route)} 4\n"))
        #expect(text.contains("turnout_decisions_total 3\n"))
        #expect(text.contains("turnout_datafiles 1\n"))
        // Not `turnout_datafile_age_seconds`: for clients, that is the time since the datafile was confirmed.
        #expect(text.contains("turnout_datafile_unchanged_seconds{"))
        #expect(!text.contains("ada") && !text.contains(ShopServer.key))
    }

    @Test func timesAreInSeconds() {
        let metrics = RequestMetrics()
        metrics.name([Route("GET", "/", "all") { _ in .now(.text(200, "")) }])
        metrics.add(0, status: 200, time: .milliseconds(3))
        metrics.add(0, status: 0, time: .seconds(60))
        let text = metrics.histogram
        #expect(text.contains("_bucket{method=\"GET\",route=\"/\",le=\"0.0025\"} 0\n"))
        #expect(text.contains("_bucket{method=\"GET\",route=\"/\",le=\"0.005\"} 1\n"))
        #expect(text.contains("_bucket{method=\"GET\",route=\"/\",le=\"10.0\"} 1\n"))
        #expect(text.contains("_bucket{method=\"GET\",route=\"/\",le=\"+Inf\"} 2\n"))
        #expect(text.contains("_sum{method=\"GET\",route=\"/\"} 60.003\n"))
        #expect(metrics.snapshot.prometheus().contains("status=\"closed\"} 1\n"))
    }

    @Test func namesOfMetricsFollowTheConventions() async throws {
        let shop = try ShopServer()
        _ = await shop.response("POST", Self.evaluation, body: Self.ada)
        let text = await shop.response("GET", "/metrics", [:]).text
        var names: Set<Substring> = []
        for line in text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
            let words = line.split(separator: " ")
            #expect(names.insert(words[2]).inserted)
            #expect(words[2].hasSuffix("_total") == (words[3] == "counter"), "\(line)")
        }
        #expect(names.count > 10)
    }

    // MARK: Ids and traces

    @Test func aRequestKeepsItsIdOrGetsOne() async throws {
        let shop = try ShopServer()
        let own = await shop.response("GET", "/ready", ["X-Request-Id": "my-id"])
        #expect(own.headers.values("X-Request-Id") == ["my-id"])
        for bad in ["", "a b", "a\u{7F}", String(repeating: "a", count: 129)] {
            let response = await shop.response("GET", "/unknown", ["X-Request-Id": bad])
            let id = try #require(response.headers["X-Request-Id"])
            #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        }
    }

    @Test(arguments: [
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
    ]) func aTraceIsContinued(header: String) throws {
        let trace = try #require(TraceContext(header))
        let child = trace.child(SeededRandomSource(seed: 1))
        #expect(child.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(child.spanID != trace.spanID && child.spanID.utf8.count == 16)
        #expect(TraceContext(child.text) == child)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    ]) func anInvalidTraceIsIgnored(header: String) { #expect(TraceContext(header) == nil) }

    @Test func aTraceIsPassedOnToOtherServers() async throws {
        let transport = MemoryTransport { _ in HTTPResponse(status: 200) }
        let traced = TraceForwardingTransport(transport)
        let route = Route("GET", "/", "asks another server") { _ in
            .later {
                _ = try? await traced.send(HTTPRequest(.get, "http://other.example/"))
                return .text(200, "")
            }
        }
        let pipeline = RequestPipeline(
            RouteTable([route]),
            access: AccessControl(
                AccessOptions(), listeningOn: "0.0.0.0", tokens: ManagementTokens(cryptography: NettleCryptography())),
            metrics: RequestMetrics(), log: RequestLog(StructuredLog(LogOptions()) { _ in }, .none))
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        _ = await pipeline.respond(to: ServerRequest(RequestHead("GET", "/", headers: ["traceparent": header])))
            .response
        _ = await pipeline.respond(to: ServerRequest(RequestHead("GET", "/"))).response
        let sent = transport.requests.map { $0.headers["traceparent"] }
        #expect(sent.count == 2 && sent[1] == nil)
        #expect(sent[0]?.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") == true && sent[0] != header)
    }

    // MARK: Log

    @Test func requestsAreLoggedWithoutPersonalData() async throws {
        let shop = try ShopServer { $0.log.requests = .all }
        let headers: HeaderFields = ["X-API-Key": ShopServer.key, "X-Request-Id": "id-1"]
        _ = await shop.response("POST", Self.evaluation, headers, body: Self.ada)
        let entry = try JSONValue(parsing: try #require(shop.log.all.last))
        #expect(entry["time"] == .string("1970-01-01T00:16:40.000Z"))
        #expect(entry["level"] == .string("info"))
        #expect(entry["route"] == .string("/ofrep/v1/evaluate/flags/{key…}"))
        #expect(entry["status"] == .integer(200))
        #expect(entry["request_id"] == .string("id-1"))
        #expect(!shop.log.text.contains("\"ada\"") && !shop.log.text.contains(ShopServer.key))
    }

    @Test func byDefaultOnlyProblemsAreLogged() async throws {
        let shop = try ShopServer()
        // The first request makes a client, which says so.
        _ = await shop.response("POST", Self.evaluation, body: Self.ada)
        let before = shop.log.all.count
        _ = await shop.response("POST", Self.evaluation, body: Self.ada)
        #expect(shop.log.all.count == before)
        _ = await shop.response("GET", "/ready", [:])
        #expect(shop.log.all.count == before + 1)
    }

    @Test func anEntryCannotBeForged() {
        let lines = LogLines()
        let log = StructuredLog(LogOptions(), wallClock: FixedWallClock(0), output: lines.add)
        log.write(.warning, "a\nb", [.init("name", .string("c d\n\"e")), .init("count", .integer(2))])
        log.write(.debug, "not logged")
        #expect(lines.all == ["1970-01-01T00:00:00.000Z warning a⏎b name=\"c d\\n\\\"e\" count=2\n"])
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_795_591_800_123, "2026-11-25T07:30:00.123Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ]) func timesAreISO8601(milliseconds: Int64, text: String) { #expect(Timestamp.text(milliseconds) == text) }
}
