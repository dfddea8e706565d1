import CQLServer
import Testing

/// Partitions have their replicas on different nodes, as the keyspace says.
@Suite struct RingTests {
    private let users = (0..<300).map { "user \($0)" }

    private func server(_ dataCenters: [String], _ replication: String) throws -> CQLServer {
        var configuration = CQLServer.Configuration()
        configuration.nodes = dataCenters.map { CQLServer.Node(dataCenter: $0) }
        let server = try CQLServer(configuration)
        try server.run("CREATE KEYSPACE shop WITH replication = {\(replication)}")
        return server
    }

    @Test func replicasAreSpreadOverTheNodes() throws {
        let server = try server(["dc1", "dc1", "dc1"], "'class': 'SimpleStrategy', 'replication_factor': 2")
        var counts = [0, 0, 0]
        for user in users {
            let replicas = server.replicas(of: user, in: "shop")
            #expect(replicas.count == 2 && Set(replicas).count == 2)
            for node in replicas { counts[node] += 1 }
        }
        #expect(counts.reduce(0, +) == 600 && counts.allSatisfy { $0 > 120 })
    }

    @Test func eachDataCenterHasItsReplicas() throws {
        let server = try server(
            ["dc1", "dc2", "dc1", "dc2", "dc1"], "'class': 'NetworkTopologyStrategy', 'dc1': '2', 'dc2': '1'")
        for user in users {
            let replicas = server.replicas(of: user, in: "shop")
            #expect(replicas.count { $0.isMultiple(of: 2) } == 2 && replicas.count == 3)
        }
        #expect(server.replicas(of: "user", in: "other") == [])
    }

    @Test func thereAreNoMoreReplicasThanNodes() throws {
        let server = try server(["dc1"], "'class': 'SimpleStrategy', 'replication_factor': '3'")
        #expect(server.replicas(of: "user", in: "shop") == [0])
    }
}
