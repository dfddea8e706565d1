#if Memcached
    import TestSupport
    import Testing
    import TurnoutClient
    import TurnoutEngine
    import TurnoutMemcached
    import TurnoutTestKit

    /// What a client makes of memcached: users keep their variation, and decisions go on without it.
    @Suite struct MemcachedClientTests {
        private static let script = Script(.split("a", between: "1", "2"))
        private let log = MemoryLog()
        private let users = OddUsers.ids + (0..<50).map { "lovelace \($0)" }

        private func client(_ options: MemcachedOptions?) throws -> Client {
            var configuration = ClientConfiguration()
            configuration.profiles = try options.map { try MemcachedProfileStore($0, log: log) }
            configuration.log = log
            return Client.scripted(Self.script, configuration: configuration)
        }

        /// What everybody gets without a store.
        private func variations() throws -> [String: String] {
            let client = try client(nil)
            return users.reduce(into: [:]) { $0[$1] = client.user($1).decide("a").variationKey }
        }

        private var isLogClean: Bool { log.entries.allSatisfy { !OddUsers.appear(in: $0.message) } }

        @Test func decisionsGoOnWithoutAServer() async throws {
            let process = try MemcachedProcess()
            let client = try client(.patient(process.server))
            let expected = try variations()
            process.stop()
            for user in users {
                for decision in [
                    client.user(user).decide("a"), await client.user(user).decide("a", within: .seconds(300)),
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
                try await wait("users who are remembered") { client.user(user).decide("a").stage == .remembered }
            }
        }

        @Test func decisionsGoOnThroughFaults() async throws {
            let process = try MemcachedProcess()
            let proxy = try FaultyProxy(to: process.server)
            defer { proxy.stop() }
            var options = MemcachedOptions.patient(proxy.server)
            options.answerTimeout = .milliseconds(300)
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

        /// All traffic goes to one variation: who is remembered stays, and moves when nobody remembers.
        @Test func usersStayUntilTheServerIsEmptied() async throws {
            let process = try MemcachedProcess()
            let options = MemcachedOptions.patient(process.server)
            let before = try variations()
            let first = try client(options)
            for user in users { _ = first.user(user).decide("a") }
            var next = Self.script
            next.revision = "2"
            let shifted = String(decoding: next.datafile, as: UTF8.self)
                .replacing(/"endOfRange": *[0-9]+/, with: #""endOfRange": 10000"#)
            for client in [first, try client(options)] {
                try client.update(to: Array(shifted.utf8))
                for user in users {
                    let decision = client.user(user).decide("a")
                    #expect(decision.variationKey == before[user] && decision.stage == .remembered)
                }
                #expect(client.profileFailures.total == 0)
            }
            #expect(Set(before.values).count == 2)
            try process.restart()
            let store = try MemcachedProfileStore(options, log: .silent)
            try await wait("the server to be there") { (try? store.profile(of: "ada")) == UserProfile() }
            for user in users {
                try await wait("the server to be used again") {
                    let decision = first.user(user).decide("a")
                    #expect(decision.variationKey == "1")
                    return decision.reasons.isEmpty
                }
            }
        }
    }
#endif
