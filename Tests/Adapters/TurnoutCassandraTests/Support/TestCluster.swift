#if Cassandra
    import CQLServer
    import TestSupport
    import TurnoutCassandra
    import TurnoutClient

    /// A cluster with the table of a store. It ends with the test.
    final class TestCluster: Sendable {
        let server: CQLServer

        /// Starts a cluster; by default of three nodes, each of which has all users.
        init(
            _ configuration: CQLServer.Configuration = CQLServer.Configuration(), replicas: Int = 3,
            hasTable: Bool = true
        ) throws {
            server = try CQLServer(configuration)
            guard hasTable else { return }
            let centers = Set(configuration.nodes.map(\.dataCenter)).sorted()
                .map { "'\($0)': \(replicas)" }.joined(separator: ", ")
            try server.run(
                "CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', \(centers)}")
            try createTable()
        }

        deinit { server.stop() }

        /// Creates the table as `turnout profiles schema` prints it.
        func createTable() throws { try server.run(CassandraProfileStore.schema(for: options)) }

        /// Options for the cluster, with time limits for a busy machine.
        var options: CassandraOptions {
            var options = CassandraOptions(hosts: server.addresses, keyspace: "shop")
            options.port = Int(server.port)
            options.timeout = .seconds(60)
            options.connectTimeout = .seconds(60)
            options.library = TestDriver.library
            return options
        }

        /// A store in the cluster.
        func store(
            log: any Log = .silent, _ change: (inout CassandraOptions) -> Void = { _ in }
        ) throws -> CassandraProfileStore {
            var options = options
            change(&options)
            return try CassandraProfileStore(options, log: log)
        }

        /// The address of a store in the cluster.
        func address(_ parameters: String = "") -> String {
            "cassandra://\(server.addresses.joined(separator: ",")):\(server.port)/shop?timeout=60s&connect-timeout=60s"
                + "&library=\(TestDriver.library ?? "")\(parameters)"
        }

        /// The number of writes that reached the nodes; a batch is one.
        var writeCount: Int { server.addresses.indices.reduce(0) { $0 + server.counts(of: $1).writes } }

        /// The number of lookups that reached the nodes.
        var readCount: Int { server.addresses.indices.reduce(0) { $0 + server.counts(of: $1).reads } }
    }

    /// The code of an error; nil for other errors, and for those that name a user or a secret.
    func code(_ error: any Error) -> ProfileServerError.Code? {
        let text = "\(error)"
        return ["lovelace", "s3cret"].contains(where: text.contains) ? nil : (error as? ProfileServerError)?.code
    }
#endif
