/// Profiles in memcached fulfill the contract.
@Suite(.needsMemcached, .blocking) struct MemcachedContractTests {
    @Test func profilesOnTwoServersKeepTheContract() async throws {
        let (first, second) = (try MemcachedProcess(), try MemcachedProcess())
        try await checkProfileStore(underEveryPolicy: isThorough) {
            try MemcachedProfileStore(.longTimeouts(first.server, second.server))
        }
    }

    @Test func profilesBehindASocketKeepTheContract() async throws {
        let process = try MemcachedProcess(onSocket: true)
        try await checkProfileStore { try MemcachedProfileStore(.longTimeouts(process.server)) }
    }

    @Test func processesDoNotLoseEachOthersAssignments() async throws {
        let server = try MemcachedProcess()
        guard case .host(_, let port?) = server.server else { return }
        let (processes, users) = (8, rounds(100, thorough: 2_000))
        await concurrently(0..<processes) { number in
            await #expect(processExitsWith: .success) {
                [port = port as Int, number = number as Int, users = users as Int] in
                let server = ProfileServerAddress.host("127.0.0.1", port: port)
                let store = try MemcachedProfileStore(.longTimeouts(server) { $0.prefix = "shared:" })
                for user in 0..<users { try store.save(["\(number)": "\(user)"], for: "user \(user)") }
            }
        }
        let profiles = try MemcachedProfileStore(.longTimeouts(server.server) { $0.prefix = "shared:" })
            .profiles(of: (0..<users).map { "user \($0)" })
        let whole = (0..<users).count { user in
            let own = Dictionary(uniqueKeysWithValues: (0..<processes).map { ("\($0)", "\(user)") })
            return profiles["user \(user)"] == UserProfile(own)
        }
        #expect(whole == users)
    }

    /// The two stores do not know of each other, as in separate processes.
    @Test func concurrentMergesLoseNothing() async throws {
        let (first, second) = (try MemcachedProcess(), try MemcachedProcess(onSocket: true))
        let options = MemcachedOptions.longTimeouts(first.server, second.server)
        let stores = [try MemcachedProfileStore(options), try MemcachedProfileStore(options)]
        let users = (0..<5).map { "user \($0)" }
        let roundCount = rounds(5, thorough: 40)
        try await concurrently(0..<8) { task in
            try await blocking {
                for round in 0..<roundCount {
                    for user in users { try stores[task % 2].save(["\(task)/\(round)": "v"], for: user) }
                }
            }
        }
        for user in users { #expect(try stores[0].profile(of: user).assignments.count == 8 * roundCount) }
    }

    @Test func anyTextIsAUserID() throws {
        let process = try MemcachedProcess()
        let store = try MemcachedProfileStore(.longTimeouts(process.server))
        let lengths = [1, 100, 213, 214, 215, 249, 250, 251, 10_240]
        let ids =
            lengths.map { String(repeating: "x", count: $0) }
            + lengths.map { String(repeating: "🙂", count: $0) }
            + ["", " ", "\n", "\r\n", "\0", "a b", "a\u{7F}", "e\u{301}", "\u{e9}", "#", "get x\r\nflush_all\r\n"]
        for (number, id) in ids.enumerated() { try store.save(["1": "\(number)"], for: id) }
        for (number, id) in ids.enumerated() {
            #expect(try store.profile(of: id).assignments == ["1": "\(number)"], "user \(number)")
        }
    }

    @Test func manyUsersAreLookedUpAtOnce() throws {
        let (first, second) = (try MemcachedProcess(), try MemcachedProcess())
        let store = try MemcachedProfileStore(.longTimeouts(first.server, second.server))
        let known = (0..<1_000).map { "user-\($0)" }
        for user in known { try store.save(["1": user], for: user) }
        let profiles = try store.profiles(of: known + ["unknown", "un known"])
        #expect(profiles == Dictionary(uniqueKeysWithValues: known.map { ($0, UserProfile(["1": $0])) }))
    }

    @Test func usersAreForgotten() throws {
        let process = try MemcachedProcess()
        let store = try MemcachedProfileStore(.longTimeouts(process.server))
        try store.save(["1": "2"], for: "ada")
        try store.forget("ada")
        try store.forget("ada")
        #expect(try store.profile(of: "ada") == UserProfile())
    }

    @Test func profilesExpire() async throws {
        let process = try MemcachedProcess()
        var options = MemcachedOptions.longTimeouts(process.server)
        options.timeToLive = .milliseconds(10)
        let short = try MemcachedProfileStore(options)
        options.timeToLive = .seconds(45 * 86_400)
        let long = try MemcachedProfileStore(options)
        try short.save(["1": "2"], for: "ada")
        try long.save(["1": "2"], for: "grace")
        try await wait("the profile to expire") { try short.profile(of: "ada") == UserProfile() }
        #expect(try long.profile(of: "grace").assignments == ["1": "2"])
    }

    // MARK: Memcached client
    // A client with memcached: users keep their variation, and decisions continue without the servers.

    private let clients = SplitClients()
    private let users = UnusualUsers.ids + (0..<50).map { "lovelace \($0)" }

    private func client(_ options: MemcachedOptions) throws -> FlagClient {
        clients.client(try MemcachedProfileStore(options, log: clients.log))
    }

    @Test func decisionsContinueWithoutAServer() async throws {
        let process = try MemcachedProcess()
        let client = try client(.longTimeouts(process.server))
        process.stop()
        await clients.checkDecisionsWithoutStore(client, users)
        #expect(clients.log.entries.contains { $0.level == .error } && clients.isLogClean)
        try process.restart()
        for user in users {
            try await wait("stored users") { client.user(user).decide("a").stage == .storedAssignment }
        }
    }

    @Test func decisionsContinueDuringFaults() async throws {
        let process = try MemcachedProcess()
        let proxy = try FaultyProxy(to: process.server)
        defer { proxy.stop() }
        var options = MemcachedOptions.longTimeouts(proxy.server)
        options.responseTimeout = .milliseconds(300)
        options.connectTimeout = .milliseconds(300)
        options.retryInterval = .milliseconds(20)
        let client = try client(options)
        let load = DecisionLoad(client, flag: "a", threads: 4, expected: clients.variations(users))
        try await proxy.misbehave([.hold, .cut(after: 5), .stall(after: 5)]) {
            try await load.waitForMoreRemembered(100)
        } until: {
            try await load.waitForMoreWithoutProfile(10)
        }
        process.stop()
        try await load.waitForMoreWithoutProfile(10)
        try process.restart()
        try await load.waitForMoreRemembered(100)
        try await load.stop()
        clients.check(load, of: client)
    }

    @Test func usersStayUntilTheServerIsEmptied() async throws {
        let process = try MemcachedProcess()
        let options = MemcachedOptions.longTimeouts(process.server)
        try await checkThatUsersStay(in: { try MemcachedProfileStore(options, log: .silent) }) { try process.restart() }
    }
}
