import TestSupport
import TurnoutEngine
import TurnoutMemcached

/// A client with memcached: users keep their variation, and decisions continue without the servers.
@Suite(.needsMemcached, .blocking) struct MemcachedClientTests {
    private static let script = Script(.split("a", between: "1", "2"))
    private let log = MemoryLog()
    private let users = UnusualUsers.ids + (0..<50).map { "lovelace \($0)" }

    private func client(_ options: MemcachedOptions?) throws -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.profiles = try options.map { try MemcachedProfileStore($0, log: log) }
        configuration.log = log
        return FlagClient.scripted(Self.script, configuration: configuration)
    }

    /// The decision for every user, without a store.
    private func variations() throws -> [String: String] {
        let client = try client(nil)
        return users.reduce(into: [:]) { $0[$1] = client.user($1).decide("a").variationKey }
    }

    private var isLogClean: Bool { log.entries.allSatisfy { !UnusualUsers.appear(in: $0.message) } }

    @Test func decisionsContinueWithoutAServer() async throws {
        let process = try MemcachedProcess()
        let client = try client(.longTimeouts(process.server))
        let expected = try variations()
        process.stop()
        for user in users {
            for decision in [
                client.user(user).decide("a"), await client.user(user).decide("a", within: .seconds(30)),
            ] {
                #expect(decision.variationKey == expected[user])
                #expect(decision.reasons.map { "\($0)" } == ["User profile unavailable."])
            }
        }
        #expect(client.profileFailures[.lookupFailed] == 2 * users.count)
        #expect(client.profileFailures.total == 2 * users.count)
        #expect(log.entries.contains { $0.level == .error } && isLogClean)
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
        let load = DecisionLoad(client, flag: "a", threads: 4, expected: try variations())
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
        #expect(load.surprises.all == [])
        #expect(client.profileFailures[.lookupFailed] >= load.withoutProfileCount)
        #expect(log.entries.contains { $0.level == .error } && isLogClean)
    }

    @Test func usersStayUntilTheServerIsEmptied() async throws {
        let process = try MemcachedProcess()
        let options = MemcachedOptions.longTimeouts(process.server)
        try await checkThatUsersStay(in: { try MemcachedProfileStore(options, log: .silent) }) {
            try process.restart()
        }
    }
}
