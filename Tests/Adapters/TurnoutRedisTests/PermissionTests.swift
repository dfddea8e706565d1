/// Redis users without all required permissions: errors name the missing command, and nothing is stored partially.
@Suite(.blocking) struct RedisPermissionTests {
    @Test(arguments: [RedisOptions.Layout.hash, .agent], ["MULTI", "EXEC"])
    func withoutTransactionsNothingIsStored(_ layout: RedisOptions.Layout, _ missing: String) async throws {
        let server = try await RedisServer()
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
        let server = try await RedisServer()
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
        let server = try await RedisServer()
        try server.ask("ACL", "SETUSER", "ada", "on", ">pw", "~other:*", "+@all")
        let store = try server.options.store { ($0.username, $0.password) = ("ada", "pw") }
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "grace") }
        #expect(error?.code == .refused && error?.message.contains("prefix") == true)
    }
}
