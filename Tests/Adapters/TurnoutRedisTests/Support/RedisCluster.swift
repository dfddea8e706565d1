import Foundation

/// Three masters with a replica each.
final class RedisCluster: Sendable {
    let servers: [RedisServer]

    /// Starts six servers with a node timeout in milliseconds.
    init(nodeTimeout: Int = 15_000) async throws {
        var servers: [RedisServer] = []
        for _ in 0..<6 {
            servers.append(
                try await RedisServer(
                    "--cluster-enabled", "yes", "--cluster-node-timeout", "\(nodeTimeout)", "--appendonly", "yes",
                    "--cluster-replica-validity-factor", "0"))
        }
        self.servers = servers
        let addresses = servers.map(\.address)
        let text = try RedisServer.cli(
            ["--cluster", "create"] + addresses + ["--cluster-replicas", "1", "--cluster-yes"])
        guard text.contains("All 16384 slots covered") else { throw RedisServer.Failure(description: text) }
        try await wait("a cluster that works") {
            try servers.allSatisfy { server in
                let state = try server.ask("CLUSTER", "INFO")
                let nodes = try server.ask("CLUSTER", "NODES")
                return state.contains("cluster_state:ok") && nodes.components(separatedBy: "slave ").count == 4
            }
        }
        try await wait("replicas that follow") {
            try servers.allSatisfy { try !$0.ask("INFO", "replication").contains("master_link_status:down") }
        }
    }

    /// Options with two of the servers.
    var options: RedisOptions {
        var options = servers[0].options
        options.servers = .cluster([0, 4].map { .host("127.0.0.1", port: servers[$0].port) })
        return options
    }

    /// The master of a slot.
    func owner(ofSlot slot: Int) throws -> RedisServer? {
        let alive = servers.first { (try? $0.ask("PING")) == "PONG" }
        for line in try alive?.ask("CLUSTER", "NODES").split(separator: "\n") ?? [] {
            let fields = line.split(separator: " ")
            guard fields.count > 8, !fields[2].contains("fail") else { continue }
            for range in fields[8...] where !range.hasPrefix("[") {
                let ends = range.split(separator: "-").compactMap { Int($0) }
                guard let first = ends.first, let last = ends.last, first...last ~= slot else { continue }
                return servers.first { fields[1].hasPrefix($0.address + "@") }
            }
        }
        return nil
    }
}

extension RedisServer {
    /// Whether the replica has all writes.
    var hasReplicaWithAll: Bool {
        get throws {
            let fields = try ask("INFO", "replication").split { $0.isNewline || $0 == "," }
            func number(_ name: String) -> Int? {
                fields.first { $0.hasPrefix(name + ":") || $0.hasPrefix(name + "=") }
                    .flatMap { Int($0.dropFirst(name.count + 1)) }
            }
            return number("offset").map { $0 == number("master_repl_offset") } == true
        }
    }
}

/// Starts one cluster for all tests of a suite, which takes seconds, and ends it after them.
struct SharedClusterTrait: SuiteTrait, TestScoping {
    @TaskLocal fileprivate static var current: RedisCluster?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.$current.withValue(try await RedisCluster(), operation: body)
    }
}

extension Trait where Self == SharedClusterTrait {
    /// One cluster for all tests of the suite. The tests run one after the other.
    static var sharedCluster: Self { Self() }
}

extension RedisCluster {
    /// The cluster of the suite.
    static var shared: RedisCluster { get throws { try #require(SharedClusterTrait.current) } }
}
