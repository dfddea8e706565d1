import Foundation
import TurnoutServer

/// Servers that share assignments in Redis.
@Suite("Assignments of servers", .blocking)
struct ServerTests {
    private static let key = "ShopDemoSdkKey"
    private let log = Collected<String>()

    /// A server with the sample shop, whose requests come from the test.
    private func node(_ options: RedisOptions) throws -> Server {
        var configuration = ServerConfiguration()
        configuration.access.allowsProfileRoutes = true
        configuration.limits.decisionTime = .seconds(60)
        let output = StructuredLog(configuration.log) { [log] in log.add(String(decoding: $0, as: UTF8.self)) }
        let directory = TemporaryDirectory()
        var adapters = ServerAdapters(
            listener: NoListener(), cryptography: NettleCryptography(),
            storage: ServerStorage(directory: directory.path, isTemporary: true, messages: directory.log), log: output)
        let profiles = ObservedProfiles("standard", network: try RedisProfileStore(options), log: output)
        adapters.profiles = profiles.store
        adapters.reports = [ObservedProfiles.report([profiles])]
        let server = Server(configuration, adapters: adapters)
        let folder = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let datafile = try Data(contentsOf: URL(filePath: folder + "/Examples/Shop/datafile.json"))
        try server.datafiles.publish(Array(datafile), for: Self.key)
        _ = try server.start()
        return server
    }

    private struct NoListener: HTTPListener {
        var counts: ListenerCounts { ListenerCounts() }
        func start(_ handler: any RequestHandler) throws -> UInt16 { 8_080 }
        func stop(within limit: Duration) async {}
    }

    private func ask(
        _ server: Server, _ method: String, _ path: String, _ body: String = ""
    ) async -> (status: Int, text: String) {
        let parts = path.split(separator: "?", maxSplits: 1)
        let head = RequestHead(
            method, String(parts[0]), query: QueryParameters(parsing: parts.count > 1 ? parts[1] : ""),
            headers: ["Host": "localhost:8080", "X-Optimizely-SDK-Key": Self.key, "Content-Type": "application/json"],
            remoteAddress: "127.0.0.1")
        let response = await server.handler.respond(to: ServerRequest(head, body: Array(body.utf8))).response
        guard case .bytes(let bytes) = response.body else { return (response.status, "") }
        return (response.status, String(decoding: bytes, as: UTF8.self))
    }

    /// The key of the variation of a user in a test with the variations 41011 to 41013.
    private func variation(of user: String, by server: Server) async throws -> String? {
        let body = #"{"userId":"\#(user)","userAttributes":{"country":"US","orders":12}}"#
        let response = await ask(server, "POST", "/v1/decide?keys=checkout_redesign", body)
        guard case .string(let key)? = try JSONValue(parsing: response.text)["variationKey"] else { return nil }
        return key
    }

    @Test func theStoreOfAServerFulfillsTheContract() async throws {
        let redis = try await RedisServer()
        try await checkProfileStore { NetworkProfileStore(try RedisProfileStore(redis.options), log: .silent) }
    }

    @Test func aDeadStoreIsVisible() async throws {
        let redis = try await RedisServer()
        let server = try node(redis.options)
        #expect(try await variation(of: "ada", by: server) == "one_page")
        #expect(await !ask(server, "GET", "/ready").text.contains("profiles"))
        redis.kill()
        #expect(try await variation(of: "eve", by: server) != nil)
        #expect(try await variation(of: "joe", by: server) != nil)
        let ready = await ask(server, "GET", "/ready")
        #expect(ready.status == 200)
        #expect(ready.text.contains(#""impairments":{"profiles":"standard: Redis 127.0.0.1:"#), "\(ready.text)")
        let status = try JSONValue(parsing: await ask(server, "GET", "/status").text)["profiles"]?["standard"]
        #expect(status?["lookups"] == .integer(3) && status?["failedLookups"] == .integer(2))
        guard case .string? = status?["problem"] else { return #expect(Bool(false), "no problem") }
        let metrics = await ask(server, "GET", "/metrics").text
        #expect(metrics.contains(#"turnout_profile_lookups_failed_total{store="standard"} 2"#))
        #expect(metrics.contains(#"turnout_server_impaired{part="profiles"} 1"#))
        #expect(log.all.count { $0.contains("profiles: cannot be looked up") } == 1)
        // `/v1/save` does not report success before the store has the assignments.
        let body = #"{"userId":"eve","experimentBucketMap":{"4101":{"variation_id":"41011"}}}"#
        #expect(await ask(server, "POST", "/v1/save", body).status == 500)

        try await redis.start()
        try await wait("a server that works again") {
            _ = try await variation(of: UUID().uuidString, by: server)
            return await !ask(server, "GET", "/ready").text.contains("profiles")
        }
        #expect(log.all.count { $0.contains("profiles: looked up again") } == 1)
        #expect(await ask(server, "POST", "/v1/save", body).status == 200)
        #expect(try await variation(of: "eve", by: server) == "control")
        await server.stop(immediately: true)
    }

    @Test func assignmentsOfAnotherServerAreUsedOnceTheCachedOnesAreOld() async throws {
        let redis = try await RedisServer()
        var options = redis.options
        options.prefix = "p:"
        let (one, other) = (try node(options), try node(options))
        #expect(try await variation(of: "ada", by: one) == "one_page")
        #expect(try await variation(of: "ada", by: other) == "one_page")
        // Otherwise the other server may store its assignment after the next one.
        try await wait("both servers store it") {
            for server in [one, other] {
                guard await ask(server, "GET", "/status").text.contains(#""waitingAssignments":0"#) else {
                    return false
                }
            }
            return true
        }
        let body = #"{"userId":"ada","experimentBucketMap":{"4101":{"variation_id":"41011"}}}"#
        #expect(await ask(one, "POST", "/v1/save", body).status == 200)
        #expect(try redis.ask("HGET", "p:ada", "4101") == "41011")
        #expect(try await variation(of: "ada", by: one) == "control")
        try await wait("the assignment of the other server") { try await variation(of: "ada", by: other) == "control" }
        // Assignments that wait for the store are there after the end.
        #expect(try await variation(of: "eve", by: one) != nil)
        await one.stop(immediately: true)
        #expect(try redis.ask("EXISTS", "p:eve") == "1")
        await other.stop(immediately: true)
    }

    /// What waits for a store that answers late needs no request for each user.
    @Test(arguments: [nil, Duration.seconds(600)])
    func callsForConcurrentRequestsAreGathered(timeToLive: Duration?) async throws {
        let redis = try await RedisServer()
        var options = redis.options
        (options.prefix, options.timeToLive) = ("p:", timeToLive)
        let server = try node(options)
        _ = try await variation(of: "first", by: server)
        let known = (0..<200).map { "known\($0)" }
        try store(known, in: redis)
        let before = try reads(of: redis)
        let users = known + (0..<200).map { "new\($0)" }
        let variations = try await decide(users, by: server, whileSuspended: redis)
        // Some users are in a holdout and get no assignment.
        #expect(known.allSatisfy { variations[$0] == "control" || variations[$0] == "untouched" })
        let new = variations.count { $0.key.hasPrefix("new") && $0.value != "untouched" }
        #expect(new > 150)
        var polls = 0
        try await wait("all assignments in the store") {
            polls += 1
            return try redis.ask("DBSIZE") == "\(1 + known.count + new)"
        }
        // 400 look-ups and nearly 200 additions.
        let requests = try reads(of: redis) - before - polls
        #expect(requests < 300, "\(requests) requests")
        let expiring = timeToLive == nil ? 0 : 1 + new
        #expect(try redis.ask("INFO", "keyspace").contains("expires=\(expiring),"))
        await server.stop(immediately: true)
    }

    /// Their value is of another program.
    @Test func aUserWhoCannotBeReadOrWrittenCostsNoOther() async throws {
        let redis = try await RedisServer()
        var options = redis.options
        options.prefix = "p:"
        let server = try node(options)
        _ = try await variation(of: "first", by: server)
        let known = (0..<10).map { "known\($0)" }
        try store(known, in: redis)
        try redis.ask("RPUSH", "p:bad", "x")
        let variations = try await decide(
            known + ["bad"] + (0..<10).map { "new\($0)" }, by: server, whileSuspended: redis)
        #expect(known.allSatisfy { variations[$0] == "control" } && variations["bad"] != nil)
        try await wait("the other assignments in the store") { try redis.ask("DBSIZE") == "22" }
        #expect(await !ask(server, "GET", "/ready").text.contains("profiles"))
        await server.stop(immediately: true)
    }

    /// Stores an assignment that no bucket gives these users.
    private func store(_ users: [String], in redis: RedisServer) throws {
        for user in users { try redis.ask("HSET", "p:" + user, "4101", "41011") }
    }

    /// Decides for users while the store does not answer, and lets it answer then.
    private func decide(
        _ users: [String], by server: Server, whileSuspended redis: RedisServer
    ) async throws -> [String: String] {
        redis.signal(SIGSTOP)
        return try await withThrowingTaskGroup(of: (String, String?).self) { group in
            for user in users { group.addTask { (user, try await variation(of: user, by: server)) } }
            group.addTask {
                try await Task.sleep(for: .milliseconds(500))
                redis.signal(SIGCONT)
                return ("", nil)
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// The number of requests that Redis has read, of which each may have many commands.
    private func reads(of redis: RedisServer) throws -> Int {
        let line = try redis.ask("INFO", "stats").split { $0.isNewline }.first {
            $0.hasPrefix("total_reads_processed:")
        }
        return Int(line?.split(separator: ":").last ?? "") ?? 0
    }
}
