import TestSupport
import TurnoutRedis

/// Profiles in Redis fulfill the contract of profile stores.
@Suite(.blocking) struct RedisContractTests {
    @Test(arguments: [RedisOptions.Layout.hash, .agent], [nil, Duration.seconds(600)])
    func profilesKeepTheContract(_ layout: RedisOptions.Layout, _ timeToLive: Duration?) async throws {
        let server = try await RedisServer()
        try await checkProfileStore(underEveryPolicy: isThorough) {
            var options = server.options
            options.layout = layout
            options.timeToLive = timeToLive
            return try RedisProfileStore(options)
        }
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func profilesOverASocketKeepTheContract(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer()
        try await checkProfileStore {
            var options = server.options
            options.servers = .one(.unixSocket(path: server.socket))
            options.layout = layout
            options.database = 3
            options.maximumConnections = 2
            return try RedisProfileStore(options)
        }
    }

    @Test func profilesOfAServerWithANameKeepTheContract() async throws {
        let server = try await RedisServer()
        try await checkProfileStore {
            var options = server.options
            options.servers = .one(.host("localhost", port: server.port))
            return try RedisProfileStore(options)
        }
    }

    @Test func profilesOfAUserOfTheServerKeepTheContract() async throws {
        let server = try await RedisServer()
        let commands = ["hset", "hgetall", "get", "set", "watch", "multi", "exec", "del", "scan"]
        try server.ask("ACL", "SETUSER", "ada", "on", ">pass word", "~*", "-@all")
        for command in commands { try server.ask("ACL", "SETUSER", "ada", "+" + command) }
        for layout in [RedisOptions.Layout.hash, .agent] {
            try await checkProfileStore {
                var options = server.options
                options.layout = layout
                options.username = "ada"
                options.password = "pass word"
                return try RedisProfileStore(options)
            }
        }
    }
}
