/// Profiles in Redis fulfill the contract of profile stores.
@Suite(.blocking) struct RedisContractTests {
    @Test(arguments: [RedisOptions.Layout.hash, .agent], [nil, Duration.seconds(600)])
    func profilesKeepTheContract(_ layout: RedisOptions.Layout, _ timeToLive: Duration?) async throws {
        let server = try await RedisServer()
        try await checkProfileStore(underEveryPolicy: isThorough) {
            try server.options.store(layout) { $0.timeToLive = timeToLive }
        }
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func profilesOverASocketKeepTheContract(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer()
        try await checkProfileStore {
            try server.options.store(layout) {
                $0.servers = .one(.unixSocket(path: server.socket))
                ($0.database, $0.maximumConnections) = (3, 2)
            }
        }
    }

    @Test func profilesOfAServerWithANameKeepTheContract() async throws {
        let server = try await RedisServer()
        try await checkProfileStore {
            try server.options.store { $0.servers = .one(.host("localhost", port: server.port)) }
        }
    }

    @Test func profilesOfAUserOfTheServerKeepTheContract() async throws {
        let server = try await RedisServer()
        let commands = ["hset", "hgetall", "get", "set", "watch", "multi", "exec", "del", "scan"]
        try server.ask("ACL", "SETUSER", "ada", "on", ">pass word", "~*", "-@all")
        for command in commands { try server.ask("ACL", "SETUSER", "ada", "+" + command) }
        for layout in [RedisOptions.Layout.hash, .agent] {
            try await checkProfileStore {
                try server.options.store(layout) { ($0.username, $0.password) = ("ada", "pass word") }
            }
        }
    }
}
