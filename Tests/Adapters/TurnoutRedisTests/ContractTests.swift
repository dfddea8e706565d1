import Optimizely

/// Profiles in Redis fulfill the contract of profile stores.
@Suite(.blocking) struct RedisContractTests {
    private let server: RedisServer

    init() async throws { server = try await RedisServer() }

    @Test(arguments: [RedisOptions.Layout.hash, .agent], [nil, Duration.seconds(600)])
    func profilesKeepTheContract(_ layout: RedisOptions.Layout, _ timeToLive: Duration?) async throws {
        try await checkProfileStore(underEveryPolicy: isThorough) {
            try server.options.store(layout) { $0.timeToLive = timeToLive }
        }
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func profilesOverASocketKeepTheContract(_ layout: RedisOptions.Layout) async throws {
        try await checkProfileStore {
            try server.options.store(layout) {
                $0.servers = .one(.unixSocket(path: server.socket))
                ($0.database, $0.maximumConnections) = (3, 2)
            }
        }
    }

    @Test func profilesOfAServerWithANameKeepTheContract() async throws {
        try await checkProfileStore {
            try server.options.store { $0.servers = .one(.host("localhost", port: server.port)) }
        }
    }

    @Test func profilesOfAUserOfTheServerKeepTheContract() async throws {
        let commands = ["hset", "hgetall", "get", "set", "watch", "multi", "exec", "del", "scan"]
        try server.ask("ACL", "SETUSER", "ada", "on", ">pass word", "~*", "-@all")
        for command in commands { try server.ask("ACL", "SETUSER", "ada", "+" + command) }
        for layout in [RedisOptions.Layout.hash, .agent] {
            try await checkProfileStore {
                try server.options.store(layout) { ($0.username, $0.password) = ("ada", "pass word") }
            }
        }
    }

    // MARK: Segment cache
    // Segments as Optimizely's Agent caches them.

    @Test func valuesMatchTheAgent() async throws {
        let cache = try RedisSegmentCache(server.options)
        #expect(try cache.segments("fs_user_id-$-ada") == nil)
        try cache.save(["vip", "a\"b"], "fs_user_id-$-ada")
        #expect(try server.ask("GET", "fs_user_id-$-ada") == #"["vip","a\"b"]"#)
        #expect(try cache.segments("fs_user_id-$-ada") == ["vip", "a\"b"])
        try cache.save([], "fs_user_id-$-bob")
        #expect(try cache.segments("fs_user_id-$-bob") == [])
    }

    @Test(arguments: ["", "x", "{}", "[1]"]) func otherValuesAreNotSegments(value: String) async throws {
        try server.ask("SET", "fs_user_id-$-ada", value)
        #expect(try RedisSegmentCache(server.options).segments("fs_user_id-$-ada") == nil)
    }

    @Test func onlySegmentsAreRemoved() async throws {
        let cache = try RedisSegmentCache(server.options)
        try server.ask("SET", "ada", "{}")
        for number in 0..<1_500 { try cache.save(["vip"], "fs_user_id-$-\(number)") }
        try cache.save(["vip"], "vuid-$-vuid_1")
        try cache.removeAll()
        #expect(try server.ask("DBSIZE") == "1")
        #expect(try server.ask("GET", "ada") == "{}")
    }

    @Test func segmentsExpire() async throws {
        try RedisSegmentCache(server.options, lifetime: .seconds(60)).save(["vip"], "fs_user_id-$-ada")
        let left = try #require(Int(try server.ask("PTTL", "fs_user_id-$-ada")))
        #expect((1...60_000).contains(left))
    }

    // MARK: Redis service
    // Redis as a user profile service of the vendor's interface.

    @Test func usersAreSharedWithTurnoutClient() async throws {
        let options = server.options
        let service = StoredUserProfileService(try RedisProfileStore(options), log: .silent)
        let client = OptimizelyClient(sdkKey: "key", userProfileService: service)
        try client.start(datafile: String(decoding: SplitClients.script.datafile, as: UTF8.self))
        let users = (0..<30).map { "lovelace \($0)" }
        let decided = users.map { client.createUserContext(userId: $0).decide(key: "a").variationKey }
        #expect(Set(decided).count == 2)
        let other = SplitClients().client(try RedisProfileStore(options))
        for (user, variation) in zip(users, decided) {
            let decision = other.user(user).decide("a")
            #expect(decision.stage == .storedAssignment && decision.variationKey == variation)
        }
        server.kill()
        let decision = client.createUserContext(userId: "lovelace 0").decide(key: "a", options: [.includeReasons])
        #expect(decision.variationKey == decided[0] && decision.reasons.contains("User profile unavailable."))
    }

    // MARK: Redis permission
    // Redis users without all required permissions: errors name the missing command, and nothing is stored partially.

    @Test(arguments: [RedisOptions.Layout.hash, .agent], ["MULTI", "EXEC"])
    func withoutTransactionsNothingIsStored(_ layout: RedisOptions.Layout, _ missing: String) async throws {
        let all = ["HSET", "HGETALL", "GET", "SET", "WATCH", "MULTI", "EXEC", "PEXPIRE", "DEL", "SCAN"]
        let permitted = all.filter { $0 != missing }.map { "+" + $0.lowercased() }
        _ = try RedisServer.cli(
            ["-p", "\(server.port)", "ACL", "SETUSER", "ada", "on", ">pw", "~*", "-@all"] + permitted)
        let store = try server.options.store(layout) {
            ($0.username, $0.password) = ("ada", "pw")
            ($0.timeToLive, $0.maximumConnections) = (.seconds(600), 1)
        }
        for _ in 0..<3 {
            let error = #expect(throws: ProfileServerError.self) { try store.save(["1": "2"], for: "grace") }
            #expect(error?.code == .refused)
            #expect(error?.message == "the Redis user may not use the command \(missing)")
            #expect(try store.profile(of: "grace") == UserProfile())
        }
        #expect(try server.ask("DBSIZE") == "0")
        // The same connection, without pending data.
        try server.ask("ACL", "SETUSER", "ada", "+" + missing.lowercased())
        try store.save(["1": "2"], for: "grace")
        #expect(try store.profile(of: "grace") == UserProfile(["1": "2"]))
        #expect(try store.count == 1)
    }

    @Test func aDeniedCommandInATransactionIsReported() async throws {
        try server.ask("ACL", "SETUSER", "ada", "on", ">pw", "~*", "-@all", "+hset", "+multi", "+exec")
        let store = try server.options.store {
            ($0.username, $0.password, $0.timeToLive) = ("ada", "pw", .seconds(600))
        }
        for _ in 0..<2 {
            let error = #expect(throws: ProfileServerError.self) { try store.save(["1": "2"], for: "grace") }
            #expect(error?.code == .refused && error?.message == "the Redis user may not use the command PEXPIRE")
        }
        #expect(try server.ask("DBSIZE") == "0")
    }

    @Test func aDeniedPrefixIsReported() async throws {
        try server.ask("ACL", "SETUSER", "ada", "on", ">pw", "~other:*", "+@all")
        let store = try server.options.store { ($0.username, $0.password) = ("ada", "pw") }
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "grace") }
        #expect(error?.code == .refused && error?.message.contains("prefix") == true)
    }
}
