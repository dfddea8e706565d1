/// Servers whose responses do not match the request. The store must not report an assignment as stored or deleted
/// unless it is.
@Suite(.blocking) struct RedisMalformedResponseTests {
    @Test(arguments: ["+OK\r\n", "$-1\r\n", "*0\r\n", "$1\r\n1\r\n", "*1\r\n:1\r\n"])
    func theReplyToAChangedFieldIsANumber(_ reply: String) throws {
        let server = try FakeServer(reply)
        #expect(throws: ProfileServerError.self) { try server.options.store().save(["1": "2"], for: "ada") }
        let error = #expect(throws: ProfileServerError.self) { try server.options.store().forget("ada") }
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
            try server.options.store { $0.timeToLive = .seconds(9) }.save(["1": "2"], for: "ada")
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
            try server.options.store(.agent).save(["1": "2"], for: "ada")
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test func theReplyToAuthenticationIsOK() throws {
        let server = try FakeServer(":1\r\n")
        let store = try server.options.store { $0.password = "pw" }
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
        let store = try source.options.store {
            ($0.servers, $0.timeout, $0.prefix) = (.cluster([source.address]), .seconds(5), "")
        }
        let profiles = try await blocking { try store.profiles(of: users) }
        #expect(profiles.count == 300 && profiles.values.allSatisfy { $0 == UserProfile(["1": "2"]) })
    }

    @Test(.thorough, arguments: [false, true])
    func oneDeadlineAppliesToAllUsersOfACall(_ isCluster: Bool) async throws {
        let server = try FakeServer(pause: .milliseconds(400)) { command in
            command == "CLUSTER SLOTS" ? "-ERR\r\n" : "*0\r\n"
        }
        let store = try server.options.store {
            if isCluster { $0.servers = .cluster([server.address]) }
            $0.timeout = .seconds(4)
        }
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
