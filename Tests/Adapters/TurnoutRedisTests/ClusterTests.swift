/// Three masters and three replicas.
@Suite(.serialized, .sharedCluster, .blocking) struct RedisClusterTests {
    @Test func profilesKeepTheContract() async throws {
        let cluster = try RedisCluster.shared
        for layout in [RedisOptions.Layout.hash, .agent] {
            try await checkProfileStore(underEveryPolicy: isThorough) {
                try cluster.options.store(layout) { $0.timeToLive = .seconds(600) }
            }
        }
        let store = try cluster.options.store { $0.prefix = "counted:" }
        let users = (0..<300).map { "user \($0)" }
        for user in users { try store.save(["1": user], for: user) }
        #expect(try store.count == 300)
        try store.forget("user 7")
        #expect(try store.count == 299)
        #expect(try store.profiles(of: users).filter { !$1.assignments.isEmpty }.count == 299)
    }

    @Test(.thorough, arguments: [RedisOptions.Layout.hash, .agent])
    func slotsMoveWhileUsersAreAdded(_ layout: RedisOptions.Layout) async throws {
        let cluster = try RedisCluster.shared
        var options = cluster.options
        options.layout = layout
        options.timeToLive = .seconds(6_000)
        // All of these users are in one slot.
        options.prefix = "{\(layout)}"
        let slot = HashSlot.of("{\(layout)}")
        let store = try RedisProfileStore(options)
        for user in 0..<300 { try store.save(["0": "v"], for: "reader \(user)") }
        let load = try WriteLoad(options, writers: 4)
        try await load.waitForMore(200)
        let source = try #require(try cluster.owner(ofSlot: slot))
        let masters = try (0..<3).compactMap { try cluster.owner(ofSlot: [0, 8_000, 16_000][$0]) }
        let target = try #require(masters.first { $0 !== source })
        let (sourceID, targetID) = (try source.ask("CLUSTER", "MYID"), try target.ask("CLUSTER", "MYID"))
        try target.ask("CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", sourceID)
        try source.ask("CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", targetID)
        // Users already migrated are read from the target; new users are written there at once.
        try await move(slot, from: source, to: target, until: 150)
        let users = (0..<300).map { "reader \($0)" } + ["unknown"]
        #expect(try store.profiles(of: users).filter { $1.assignments == ["0": "v"] }.count == 300)
        try store.save(["0": "w"], for: "new user")
        #expect(try store.profile(of: "new user") == UserProfile(["0": "w"]))
        try await move(slot, from: source, to: target, until: 0)
        for server in [target, source] { try server.ask("CLUSTER", "SETSLOT", "\(slot)", "NODE", targetID) }
        try await load.waitForMore(200)
        try await load.stop()
        #expect(load.failureTotal == 0)
        try load.check(store)
        #expect(try store.profiles(of: users).filter { $1.assignments == ["0": "v"] }.count == 300)
        #expect(try source.ask("CLUSTER", "COUNTKEYSINSLOT", "\(slot)") == "0")
    }

    private func move(_ slot: Int, from source: RedisServer, to target: RedisServer, until rest: Int) async throws {
        try await wait("keys that move") {
            let keys = try source.ask("CLUSTER", "GETKEYSINSLOT", "\(slot)", "20").split(separator: "\n").map(
                String.init)
            if !keys.isEmpty {
                let migrate = ["MIGRATE", "127.0.0.1", "\(target.port)", "", "0", "5000", "KEYS"] + keys
                _ = try RedisServer.cli(["-p", "\(source.port)"] + migrate)
            }
            return try Int(source.ask("CLUSTER", "COUNTKEYSINSLOT", "\(slot)")).map { $0 <= rest } == true
        }
    }

    @Test func usersStayUntilTheServersAreEmptied() async throws {
        let cluster = try RedisCluster.shared
        let options = cluster.options
        try await checkThatUsersStay(in: { try RedisProfileStore(options) }) {
            // Replicas refuse this, and follow their masters.
            for server in cluster.servers { _ = try? server.ask("FLUSHALL") }
        }
    }
}

/// A cluster whose master fails, and servers that are not in a cluster.
@Suite(.blocking) struct RedisClusterFaultTests {
    @Test func serversOutsideAClusterAreRefused() async throws {
        let servers = [try await RedisServer(), try await RedisServer()]
        let addresses = servers.map { ProfileServerAddress.host("127.0.0.1", port: $0.port) }
        let store = try RedisProfileStore(RedisOptions(servers: .cluster(addresses)))
        let calls: [() throws -> Void] = [
            { _ = try store.profile(of: "ada") }, { _ = try store.profiles(of: ["ada", "grace"]) },
            { try store.save(["1": "2"], for: "ada") }, { try store.forget("ada") }, { _ = try store.count },
        ]
        for call in calls {
            let error = #expect(throws: ProfileServerError.self) { try call() }
            #expect(error?.code == .badOptions && error?.message.contains("not part of a cluster") == true)
        }
    }

    @Test func slotsOfKeysMatchTheServers() async throws {
        let server = try await RedisServer("--cluster-enabled", "yes")
        for key in [
            "", "123456789", "turnout:ada", "{a}b", "x{a}b", "{}a", "a{}b{c}", "{a", "a}b{c}", "{{a}}", "é", "👩‍👩‍👧",
        ] {
            #expect(try server.ask("CLUSTER", "KEYSLOT", key) == "\(HashSlot.of(key))")
        }
    }

    @Test(.thorough) func aReplicaTakesOver() async throws {
        let cluster = try await RedisCluster(nodeTimeout: 1_500)
        let options = cluster.options
        let load = try WriteLoad(options, writers: 4)
        try await load.waitForMore(400)
        let master = try #require(try cluster.owner(ofSlot: 0))
        // Writes that are not replicated are lost with the master, as documented by Redis.
        try await load.stop()
        let clients = SplitClients()
        let client = clients.client(try options.store())
        let expected = clients.variations(UnusualUsers.ids + (0..<100).map { "lovelace \($0)" })
        try await wait("all users to be stored") {
            expected.keys.allSatisfy { client.user($0).decide("a").stage == .storedAssignment }
        }
        try await wait("the replica") { try master.hasReplicaWithAll }
        let during = try WriteLoad(options, writers: 4)
        let decisions = DecisionLoad(client, flag: "a", threads: 2, expected: expected)
        try await decisions.waitForMoreRemembered(100)
        let earlier = decisions.withoutProfileCount
        master.kill()
        try await wait("writes that fail") { during.failureCount > 0 }
        // The replica may take over soon after that.
        try await wait("decisions without a profile") { decisions.withoutProfileCount > earlier }
        try await wait("a new master") { try cluster.owner(ofSlot: 0).map { $0 !== master } == true }
        let store = try RedisProfileStore(options)
        try await wait("a cluster that works again") {
            (try? store.profiles(of: (0..<300).map { "user \($0)" })) != nil
        }
        try load.check(store)
        try await during.waitForMore(400)
        try await wait("all users to be stored") {
            expected.keys.allSatisfy { client.user($0).decide("a").stage == .storedAssignment }
        }
        // The old master restarts as a replica of the new one.
        try await master.start()
        try await wait("the old master") { try master.ask("INFO", "replication").contains("role:slave") }
        try await during.waitForMore(400)
        try await during.stop()
        try await decisions.stop()
        clients.check(decisions, of: client)
        #expect(during.surprises.all == [])
        #expect(try store.count > 0)
    }
}
