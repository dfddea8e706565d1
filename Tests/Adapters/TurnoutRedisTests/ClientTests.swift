import Foundation

/// A client with Redis: users keep their variation, and decisions continue without the server.
@Suite(.blocking) struct RedisClientTests {
    private let clients = SplitClients()

    @Test func decisionsContinueWithoutAServer() async throws {
        let server = try await RedisServer("--appendonly", "yes")
        let client = clients.client(try server.options.store())
        for user in UnusualUsers.ids { #expect(client.user(user).decide("a").stage == .bucketed) }
        server.kill()
        await clients.checkDecisionsWithoutStore(client, UnusualUsers.ids)
        // Of 14 failures, the first, second, fourth and eighth are logged.
        #expect(clients.log.entries.count { $0.level == .error } == 4 && clients.isLogClean)
        try await server.start()
        for user in UnusualUsers.ids {
            try await wait("stored users") { client.user(user).decide("a").stage == .storedAssignment }
        }
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func decisionsContinueDuringFaults(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer("--appendonly", "yes")
        let proxy = try FaultyProxy(to: server.port)
        defer { proxy.stop() }
        var options = server.options
        options.layout = layout
        let direct = try RedisProfileStore(options)
        let users = UnusualUsers.ids + (0..<50).map { "lovelace \($0)" }
        let expected = clients.variations(users)
        try direct.save(["other": String(repeating: "1 MB", count: 250_000)], for: "lovelace 0")
        options.servers = .one(.host("127.0.0.1", port: proxy.port))
        options.timeout = .milliseconds(300)
        let client = clients.client(try RedisProfileStore(options))
        let load = DecisionLoad(client, flag: "a", threads: 4, expected: expected)
        try await proxy.misbehave([.hold, .cut(after: 5), .stall(after: 5)]) {
            try await load.waitForMoreRemembered(100)
        } until: {
            try await load.waitForMoreWithoutProfile(10)
        }
        server.kill()
        try await load.waitForMoreWithoutProfile(10)
        try await server.start()
        try await load.waitForMoreRemembered(100)
        try await load.stop()
        clients.check(load, of: client)
        try clients.check(try direct.profiles(of: users), expected)
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func foreignValuesAndFullServersDoNotStopDecisions(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer("--maxmemory-policy", "noeviction")
        let client = clients.client(try server.options.store(layout) { $0.prefix = "" })
        let values = ["": "list", "lovelace 1": #"{"1":"#, "lovelace 2": "no JSON"]
        let expected = clients.variations(values.keys + ["lovelace 3"])
        for (user, value) in values {
            if value == "list" { try server.ask("RPUSH", user, "x") } else { try server.ask("SET", user, value) }
            let decision = client.user(user).decide("a")
            #expect(decision.variationKey == expected[user] && decision.reasons == [.profileUnavailable])
        }
        #expect(client.profileFailures[.lookupFailed] == 3)
        try server.ask("CONFIG", "SET", "maxmemory", "1")
        let decision = client.user("lovelace 3").decide("a")
        #expect(decision.variationKey == expected["lovelace 3"] && decision.reasons.isEmpty)
        #expect(client.profileFailures[.writeFailed] == 1 && client.profileFailures.total == 4)
        try server.ask("CONFIG", "SET", "maxmemory", "0")
        #expect(client.user("lovelace 3").decide("a").stage == .bucketed)
        #expect(client.user("lovelace 3").decide("a").stage == .storedAssignment)
        #expect(clients.log.entries.contains { $0.message.contains("memory is full") } && clients.isLogClean)
        #expect(try server.ask("GET", "lovelace 2") == "no JSON")
    }

    @Test(.thorough) func decisionsContinueWhileAServerEvictsUsers() async throws {
        let server = try await RedisServer("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru")
        let client = clients.client(try server.options.store())
        let long = String(repeating: "lovelace ", count: 200)
        let users = UnusualUsers.ids + (0..<3_000).map { "\($0) \(long)" }
        let load = DecisionLoad(client, flag: "a", threads: 4, expected: clients.variations(users))
        // Memory is too small for all users, so some are evicted.
        try await load.waitForMore(3 * users.count)
        try await load.stop()
        let statistics = try server.ask("INFO", "stats")
        #expect(statistics.contains("evicted_keys:") && !statistics.contains("evicted_keys:0"))
        #expect(load.surprises.all == [] && load.withoutProfileCount == 0)
        #expect(client.profileFailures.total == 0)
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func usersStayUntilTheServerIsEmptied(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer()
        let options = server.options
        try await checkThatUsersStay(in: { try options.store(layout) }, until: { try server.ask("FLUSHALL") })
    }

    // MARK: Redis limit
    // Servers that respond but cannot serve: the errors, and the calls that still work.

    @Test(arguments: [nil, "pass word"], [0, 3])
    func aServerWithTooManyClientsIsReported(_ password: String?, _ database: Int) async throws {
        let server = try await RedisServer("--requirepass", password ?? "", "--maxclients", "1")
        let stores = try (0..<2).map { _ in
            try server.options.store { ($0.password, $0.database, $0.maximumConnections) = (password, database, 1) }
        }
        _ = try stores[0].profile(of: "ada")
        let second = stores[1]
        let error = #expect(throws: ProfileServerError.self) { try second.profile(of: "ada") }
        #expect(error?.code == .unavailable && error?.message.contains("maxclients") == true, "\(error as Any)")
        let many = #expect(throws: ProfileServerError.self) { try second.profiles(of: ["ada", "grace"]) }
        #expect(many?.code == .unavailable && many?.message.contains("maxclients") == true, "\(many as Any)")
    }

    @Test func superfluousPasswordsAreReported() async throws {
        let server = try await RedisServer()
        let store = try server.options.store { $0.password = "s3cret" }
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        #expect(error?.code == .refused, "\(error as Any)")
        #expect(error?.message.contains("the server has none") == true, "\(error as Any)")
    }

    @Test func aReplicaServesLookups() async throws {
        let (master, replica) = (try await RedisServer(), try await RedisServer())
        let options = replica.options
        let store = try options.store()
        try store.save(["1": "2"], for: "ada")
        try options.store { $0.servers = master.options.servers }.save(["1": "2"], for: "ada")
        try replica.ask("REPLICAOF", "127.0.0.1", "\(master.port)")
        try await wait("the replica") { try replica.ask("INFO", "replication").contains("master_link_status:up") }
        for _ in 0..<20 {
            let error = #expect(throws: ProfileServerError.self) { try store.save(["3": "4"], for: "ada") }
            #expect(error?.code == .unavailable && error?.message.contains("replica") == true)
            #expect(try store.profile(of: "ada") == UserProfile(["1": "2"]))
            #expect(try store.profiles(of: ["ada", "grace"])["ada"] == UserProfile(["1": "2"]))
        }
        try replica.ask("REPLICAOF", "NO", "ONE")
        try store.save(["3": "4"], for: "ada")
        #expect(try store.profile(of: "ada") == UserProfile(["1": "2", "3": "4"]))
    }

    /// Each server responds once all have received a request.
    @Test func theServersOfAClusterAreQueriedInParallel() async throws {
        let slots = Locked("")
        let asked = Locked(Set<Int>())
        let servers = try (0..<3).map { number in
            try FakeServer { command in
                guard command != "CLUSTER SLOTS" else { return slots.withLock { $0 } }
                asked.withLock { _ = $0.insert(number) }
                try? waitBlocking("a request to each") { asked.withLock { $0.count == 3 } }
                return "*2\r\n$1\r\n1\r\n$1\r\n2\r\n"
            }
        }
        let ranges = [(0, 5_000), (5_001, 10_000), (10_001, 16_383)]
        let lines = zip(ranges, servers).map { range, server in
            let port = server.address.description.split(separator: ":").last ?? ""
            return "*3\r\n:\(range.0)\r\n:\(range.1)\r\n*2\r\n$9\r\n127.0.0.1\r\n:\(port)\r\n"
        }
        slots.withLock { $0 = "*3\r\n" + lines.joined() }
        let store = try servers[0].options.store { $0.servers = .cluster([servers[0].address]) }
        let profiles = try await blocking { try store.profiles(of: (0..<300).map { "user \($0)" }) }
        #expect(profiles.count == 300 && profiles.values.allSatisfy { $0 == UserProfile(["1": "2"]) })
    }
}
