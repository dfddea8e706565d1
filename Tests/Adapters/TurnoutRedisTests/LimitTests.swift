import Foundation

/// Servers that respond but cannot serve: the errors, and the calls that still work.
@Suite(.blocking) struct RedisLimitTests {
    @Test(arguments: [nil, "pass word"], [0, 3])
    func aServerWithTooManyClientsIsReported(_ password: String?, _ database: Int) async throws {
        let server = try await RedisServer("--requirepass", password ?? "", "--maxclients", "1")
        let stores = try (0..<2).map { _ in
            try server.options.store { ($0.password, $0.database, $0.maximumConnections) = (password, database, 1) }
        }
        _ = try stores[0].profile(of: "ada")
        let second = stores[1]
        let error = #expect(throws: ProfileServerError.self) { try second.profile(of: "ada") }
        #expect(error?.code == .unavailable && error?.message.contains("maxclients") == true, "\(error as Any)")
        let many = #expect(throws: ProfileServerError.self) { try second.profiles(of: ["ada", "grace"]) }
        #expect(many?.code == .unavailable && many?.message.contains("maxclients") == true, "\(many as Any)")
    }

    @Test func superfluousPasswordsAreReported() async throws {
        let server = try await RedisServer()
        let store = try server.options.store { $0.password = "s3cret" }
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        #expect(error?.code == .refused, "\(error as Any)")
        #expect(error?.message.contains("the server has none") == true, "\(error as Any)")
    }

    @Test func aReplicaServesLookups() async throws {
        let (master, replica) = (try await RedisServer(), try await RedisServer())
        let options = replica.options
        let store = try options.store()
        try store.save(["1": "2"], for: "ada")
        try options.store { $0.servers = master.options.servers }.save(["1": "2"], for: "ada")
        try replica.ask("REPLICAOF", "127.0.0.1", "\(master.port)")
        try await wait("the replica") { try replica.ask("INFO", "replication").contains("master_link_status:up") }
        for _ in 0..<20 {
            let error = #expect(throws: ProfileServerError.self) { try store.save(["3": "4"], for: "ada") }
            #expect(error?.code == .unavailable && error?.message.contains("replica") == true)
            #expect(try store.profile(of: "ada") == UserProfile(["1": "2"]))
            #expect(try store.profiles(of: ["ada", "grace"])["ada"] == UserProfile(["1": "2"]))
        }
        try replica.ask("REPLICAOF", "NO", "ONE")
        try store.save(["3": "4"], for: "ada")
        #expect(try store.profile(of: "ada") == UserProfile(["1": "2", "3": "4"]))
    }

    /// Each server responds once all have received a request.
    @Test func theServersOfAClusterAreQueriedInParallel() async throws {
        let slots = Locked("")
        let asked = Locked(Set<Int>())
        let servers = try (0..<3).map { number in
            try FakeServer { command in
                guard command != "CLUSTER SLOTS" else { return slots.withLock { $0 } }
                asked.withLock { _ = $0.insert(number) }
                try? waitBlocking("a request to each") { asked.withLock { $0.count == 3 } }
                return "*2\r\n$1\r\n1\r\n$1\r\n2\r\n"
            }
        }
        let ranges = [(0, 5_000), (5_001, 10_000), (10_001, 16_383)]
        let lines = zip(ranges, servers).map { range, server in
            let port = server.address.description.split(separator: ":").last ?? ""
            return "*3\r\n:\(range.0)\r\n:\(range.1)\r\n*2\r\n$9\r\n127.0.0.1\r\n:\(port)\r\n"
        }
        slots.withLock { $0 = "*3\r\n" + lines.joined() }
        let store = try servers[0].options.store { $0.servers = .cluster([servers[0].address]) }
        let profiles = try await blocking { try store.profiles(of: (0..<300).map { "user \($0)" }) }
        #expect(profiles.count == 300 && profiles.values.allSatisfy { $0 == UserProfile(["1": "2"]) })
    }
}
