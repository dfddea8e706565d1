import TurnoutCommands

/// `turnout profiles` with real servers.
@Suite(.blocking) struct RedisProfilesCommandTests {
    @Test func usersOfAServerAreShownDeletedAndCounted() async throws {
        let server = try await RedisServer()
        for address in ["redis://\(server.address)?prefix=a:", "redis+unix://\(server.socket)?prefix=b:&layout=agent"] {
            try checkCommands(at: address)
            // An unreadable value can still be deleted.
            try server.ask("RPUSH", address.contains("a:") ? "a:ada" : "b:ada", "x")
            let error = #expect(throws: ProfileServerError.self) { try output("get", "-u", "ada", at: address) }
            #expect(error?.code == .foreignValue)
            #expect(try output("delete", "-u", "ada", at: address) == "The user was known, and is forgotten.")
            #expect(try output("count", at: address) == "50")
        }
        server.kill()
        let address = "redis://:s3cret@\(server.address)"
        for action in [["get", "-u", "ada"], ["delete", "-u", "ada"], ["count"]] {
            let error = #expect(throws: ProfileServerError.self) { try output(action, at: address) }
            #expect(error?.code == .unreachable && error?.description.contains("s3cret") == false)
        }
    }

    @Test func usersOfAClusterAreShownDeletedAndCounted() async throws {
        let servers = [
            try await RedisServer("--cluster-enabled", "yes"), try await RedisServer("--cluster-enabled", "yes"),
        ]
        try servers[0].ask("CLUSTER", "ADDSLOTSRANGE", "0", "8000")
        try servers[1].ask("CLUSTER", "ADDSLOTSRANGE", "8001", "16383")
        try servers[0].ask("CLUSTER", "MEET", "127.0.0.1", "\(servers[1].port)")
        try await wait("a cluster that works") {
            try servers.allSatisfy { try $0.ask("CLUSTER", "INFO").contains("cluster_state:ok") }
        }
        try checkCommands(at: "redis-cluster://\(servers.map(\.address).joined(separator: ","))?timeout=60s")
        for server in servers { #expect(try Int(server.ask("DBSIZE")).map { 1..<50 ~= $0 } == true) }
    }

    /// Leaves 50 users in the store.
    private func checkCommands(at address: String) throws {
        let store = try RedisProfileStore(RedisOptions(url: address))
        let users = (0..<50).map { "user \($0)" } + UnusualUsers.ids
        for user in users { try store.save(["1": "a"], for: user) }
        #expect(try output("count", at: address) == "\(users.count)")
        for user in UnusualUsers.ids {
            let profile = try output("get", "-u", user, at: address)
            #expect(profile.hasPrefix(#"{"experiment_bucket_map":{"1":{"variation_id":"a"}},"user_id":""#))
            #expect(try output("delete", "-u", user, at: address) == "The user was known, and is forgotten.")
            #expect(try output("delete", "-u", user, at: address) == "The user was not known.")
            #expect(try output("get", "-u", user, at: address).hasPrefix(#"{"experiment_bucket_map":{},"#))
        }
        #expect(try output("count", at: address) == "50")
    }

    private func output(_ line: String..., at address: String) throws -> String { try output(line, at: address) }

    private func output(_ line: [String], at address: String) throws -> String {
        guard case .run(let arguments) = try ProfilesCommand.syntax.parse(line + ["--store", address]) else {
            throw UsageError.unexpectedOperand("--help")
        }
        return try ProfilesCommand(arguments).output()
    }
}
