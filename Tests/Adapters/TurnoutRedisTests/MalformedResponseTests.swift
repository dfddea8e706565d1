import TestSupport
import TurnoutEngine
import TurnoutRedis

/// Servers whose responses do not match the request. The store must not report an assignment as stored or deleted
/// unless it is.
@Suite(.blocking) struct RedisMalformedResponseTests {
    private func store(
        _ server: FakeServer, _ layout: RedisOptions.Layout = .hash, timeToLive: Duration? = nil
    ) throws -> RedisProfileStore {
        var options = server.options
        options.layout = layout
        options.timeToLive = timeToLive
        return try RedisProfileStore(options)
    }

    @Test(arguments: ["+OK\r\n", "$-1\r\n", "*0\r\n", "$1\r\n1\r\n", "*1\r\n:1\r\n"])
    func theReplyToAChangedFieldIsANumber(_ reply: String) throws {
        let server = try FakeServer(reply)
        #expect(throws: ProfileServerError.self) { try store(server).save(["1": "2"], for: "ada") }
        let error = #expect(throws: ProfileServerError.self) { try store(server).forget("ada") }
        #expect(error?.code == .invalidResponse)
    }

    @Test(arguments: [
        ":1\r\n", "+QUEUED\r\n", "+OK\r\n|+QUEUED\r\n+QUEUED\r\n:1\r\n", "+OK\r\n|+QUEUED\r\n+QUEUED\r\n*-1\r\n",
        "+OK\r\n|+QUEUED\r\n+QUEUED\r\n*1\r\n:1\r\n", "+OK\r\n|+QUEUED\r\n+QUEUED\r\n*2\r\n:1\r\n+OK\r\n",
        "+OK\r\n|:1\r\n:1\r\n*2\r\n:1\r\n:1\r\n",
    ])
    func aTransactionReturnsTheReplies(_ replies: String) throws {
        let parts = replies.split(separator: "|").map(String.init)
        let server = try FakeServer(parts[0], parts.count > 1 ? parts[1] : "")
        let error = #expect(throws: ProfileServerError.self) {
            try store(server, timeToLive: .seconds(9)).save(["1": "2"], for: "ada")
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test(arguments: [
        "+OK\r\n:1\r\n+OK\r\n", ":1\r\n$-1\r\n+OK\r\n", "+OK\r\n$-1\r\n:1\r\n", "+OK\r\n*0\r\n+OK\r\n",
        "+OK\r\n$-1\r\n+OK\r\n|+OK\r\n*1\r\n+OK\r\n", "+OK\r\n$-1\r\n+OK\r\n|+QUEUED\r\n:1\r\n",
        "+OK\r\n$-1\r\n+OK\r\n|+QUEUED\r\n*1\r\n:1\r\n", "+OK\r\n$-1\r\n+OK\r\n|+QUEUED\r\n*0\r\n",
    ])
    func aValueOfAgentIsStoredWithOK(_ replies: String) throws {
        let parts = replies.split(separator: "|").map(String.init)
        let server = try FakeServer(parts[0], parts.count > 1 ? parts[1] : "")
        let error = #expect(throws: ProfileServerError.self) {
            try store(server, .agent).save(["1": "2"], for: "ada")
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test func theReplyToAuthenticationIsOK() throws {
        let server = try FakeServer(":1\r\n")
        var options = server.options
        options.password = "pw"
        let store = try RedisProfileStore(options)
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        #expect(error?.code == .invalidResponse)
    }

    /// One by one, these requests would take six seconds.
    @Test func usersOfAMovedSlotAreLookedUpTogether() async throws {
        let users = (0..<300).map { "{shop}\($0)" }
        let slot = HashSlot.of(users[0])
        let target = try FakeServer(pause: .milliseconds(20)) { _ in "*2\r\n$1\r\n1\r\n$1\r\n2\r\n" }
        let source = try FakeServer { command in
            command == "CLUSTER SLOTS" ? "-ERR\r\n" : "-MOVED \(slot) \(target.address)\r\n"
        }
        var options = source.options
        options.servers = .cluster([source.address])
        options.timeout = .seconds(5)
        options.prefix = ""
        let store = try RedisProfileStore(options)
        let profiles = try await blocking { try store.profiles(of: users) }
        #expect(profiles.count == 300 && profiles.values.allSatisfy { $0 == UserProfile(["1": "2"]) })
    }

    @Test(.thorough, arguments: [false, true])
    func oneDeadlineAppliesToAllUsersOfACall(_ isCluster: Bool) async throws {
        let server = try FakeServer(pause: .milliseconds(400)) { command in
            command == "CLUSTER SLOTS" ? "-ERR\r\n" : "*0\r\n"
        }
        var options = server.options
        if isCluster { options.servers = .cluster([server.address]) }
        options.timeout = .seconds(4)
        let store = try RedisProfileStore(options)
        let few = try await blocking { try store.profiles(of: (0..<1_000).map { "user \($0)" }) }
        #expect(few.count == 1_000)
        try await blocking {
            // A few thousand requests are sent at a time, for which the server takes 0.4 seconds.
            let error = #expect(throws: ProfileServerError.self) {
                try store.profiles(of: (0..<100_000).map { "user \($0)" })
            }
            #expect(error?.code == .deadlineExceeded)
        }
    }
}
