#if Cassandra
    import CQLServer
    import TurnoutCassandra
    import TurnoutClient
    import TurnoutEngine

    /// Measures the store for Cassandra with a server of one node in this process, on loopback.
    @main enum CassandraLoad {
        static func main() throws {
            var configuration = CQLServer.Configuration()
            configuration.nodes = [CQLServer.Node()]
            let server = try CQLServer(configuration)
            defer { server.stop() }
            var options = CassandraOptions(hosts: server.addresses, keyspace: "shop")
            options.port = Int(server.port)
            options.timeout = .seconds(60)
            try server.run("CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}")
            try server.run(CassandraProfileStore.schema(for: options))
            let store = try CassandraProfileStore(options)
            try measureCalls(of: store)
            try measureBatches(of: store)
        }

        private static func measureCalls(of store: CassandraProfileStore) throws {
            var times: (lookups: [Duration], additions: [Duration]) = ([], [])
            for number in 0..<30_000 {
                let user = "user \(number)"
                times.lookups.append(try ContinuousClock().measure { _ = try store.profile(of: user) })
                times.additions.append(
                    try ContinuousClock().measure { try store.save(["10420810910": "10418551353"], for: user) })
            }
            // The first calls connect and prepare.
            print("look up a user:", percentiles(times.lookups.dropFirst(5_000)))
            print("add an assignment:", percentiles(times.additions.dropFirst(5_000)))
        }

        private static func percentiles(_ times: ArraySlice<Duration>) -> String {
            let sorted = times.sorted()
            let values = [50, 90, 99].map { "p\($0) \(Int(sorted[sorted.count * $0 / 100] / .microseconds(1))) µs" }
            return values.joined(separator: ", ")
        }

        private static func measureBatches(of store: CassandraProfileStore) throws {
            let users = (0..<30_000).map { "user \($0)" }
            for size in [1_000, 30_000] {
                var rates: [Double] = []
                for _ in 0..<5 {
                    let time = try ContinuousClock().measure {
                        for start in stride(from: 0, to: users.count, by: size) {
                            _ = try store.profiles(of: Array(users[start..<start + size]))
                        }
                    }
                    rates.append(Double(users.count) / (time / .seconds(1)))
                }
                let sorted = rates.sorted().map { Int($0) }
                print("look up \(size) users in one call: \(sorted[2]) users/s (\(sorted[0]) to \(sorted[4]))")
            }
        }
    }
#else
    @main enum CassandraLoad {
        static func main() { print("cassandra-load needs the trait Cassandra") }
    }
#endif
