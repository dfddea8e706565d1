import TestSupport
import TurnoutEngine
import TurnoutRedis

/// A client with Redis: users keep their variation, and decisions continue without the server.
@Suite(.blocking) struct RedisClientTests {
    private static let script = Script(.split("a", between: "1", "2"))
    private let log = MemoryLog()

    private func client(_ store: (any ProfileStore)?) -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.profiles = store
        configuration.log = log
        return FlagClient.scripted(Self.script, configuration: configuration)
    }

    /// The decision for every user, without a store.
    private func variations(_ users: [String]) -> [String: String] {
        let client = client(nil)
        return users.reduce(into: [:]) { $0[$1] = client.user($1).decide("a").variationKey }
    }

    private var isLogClean: Bool { log.entries.allSatisfy { !UnusualUsers.appear(in: $0.message) } }

    @Test func decisionsContinueWithoutAServer() async throws {
        let server = try await RedisServer("--appendonly", "yes")
        let client = client(try RedisProfileStore(server.options))
        let expected = variations(UnusualUsers.ids)
        for user in UnusualUsers.ids { #expect(client.user(user).decide("a").stage == .bucketed) }
        server.kill()
        for user in UnusualUsers.ids {
            for decision in [
                client.user(user).decide("a"), await client.user(user).decide("a", within: .seconds(30)),
            ] {
                #expect(decision.variationKey == expected[user])
                #expect(decision.reasons.map { "\($0)" } == ["User profile unavailable."])
            }
        }
        #expect(client.profileFailures[.lookupFailed] == 2 * UnusualUsers.ids.count)
        #expect(client.profileFailures.total == 2 * UnusualUsers.ids.count)
        // Of 14 failures, the first, second, fourth and eighth are logged.
        #expect(log.entries.count { $0.level == .error } == 4 && isLogClean)
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
        let expected = variations(users)
        try direct.save(["other": String(repeating: "1 MB", count: 250_000)], for: "lovelace 0")
        options.servers = .one(.host("127.0.0.1", port: proxy.port))
        options.timeout = .milliseconds(300)
        let client = client(try RedisProfileStore(options))
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
        #expect(load.surprises.all == [])
        #expect(client.profileFailures[.lookupFailed] >= load.withoutProfileCount)
        #expect(log.entries.contains { $0.level == .error } && isLogClean)
        // All users are stored, with the decided variations.
        let ids = Dictionary(
            uniqueKeysWithValues: try #require(client.project?.experiment("a")).variations.map { ($0.id, $0.key) })
        for (user, profile) in try direct.profiles(of: users) {
            #expect(profile.assignments.first { $0.key != "other" }.flatMap { ids[$0.value] } == expected[user])
        }
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func foreignValuesAndFullServersDoNotStopDecisions(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer("--maxmemory-policy", "noeviction")
        var options = server.options
        options.layout = layout
        options.prefix = ""
        let client = client(try RedisProfileStore(options))
        let values = ["": "list", "lovelace 1": #"{"1":"#, "lovelace 2": "no JSON"]
        let expected = variations(values.keys + ["lovelace 3"])
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
        #expect(log.entries.contains { $0.message.contains("memory is full") } && isLogClean)
        #expect(try server.ask("GET", "lovelace 2") == "no JSON")
    }

    @Test(.thorough) func decisionsContinueWhileAServerEvictsUsers() async throws {
        let server = try await RedisServer("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru")
        let client = client(try RedisProfileStore(server.options))
        let long = String(repeating: "lovelace ", count: 200)
        let users = UnusualUsers.ids + (0..<3_000).map { "\($0) \(long)" }
        let load = DecisionLoad(client, flag: "a", threads: 4, expected: variations(users))
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
        var options = server.options
        options.layout = layout
        try await checkThatUsersStay(in: { try RedisProfileStore(options) }, until: { try server.ask("FLUSHALL") })
    }
}
