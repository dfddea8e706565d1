/// A client with memcached: users keep their variation, and decisions continue without the servers.
@Suite(.needsMemcached, .blocking) struct MemcachedClientTests {
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
