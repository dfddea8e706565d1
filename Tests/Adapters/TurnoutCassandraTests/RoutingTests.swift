#if Cassandra
    import CQLServer
    import TestSupport
    import Testing
    import TurnoutCassandra
    import TurnoutClient
    import TurnoutEngine

    /// Which nodes are used, and how often statements are prepared.
    @Suite(.needsDriver, .blocking) struct CassandraRoutingTests {
        @Test func requestsGoToANodeThatHasTheUser() throws {
            let cluster = try TestCluster(replicas: 1)
            let store = try cluster.store()
            _ = try store.profile(of: "unknown")
            for user in (0..<30).map({ "user \($0)" }) {
                let node = try #require(cluster.server.replicas(of: user, in: "shop").first)
                cluster.server.resetCounts()
                try store.save(["1": "2", "3": "4"], for: user)
                _ = try store.profiles(of: [user])
                #expect(cluster.server.counts(of: node).writes == 1 && cluster.server.counts(of: node).reads == 1)
                #expect(cluster.writeCount == 1 && cluster.readCount == 1)
            }
        }

        @Test func requestsStayInTheDataCenter() throws {
            var configuration = CQLServer.Configuration()
            configuration.nodes = ["dc1", "dc2", "dc1", "dc2"].map { CQLServer.Node(dataCenter: $0) }
            let cluster = try TestCluster(configuration, replicas: 2)
            let store = try cluster.store { $0.dataCenter = "dc2" }
            for user in (0..<30).map({ "user \($0)" }) {
                try store.save(["1": "2"], for: user)
                #expect(try store.profile(of: user) == UserProfile(["1": "2"]))
            }
            for node in [0, 2] {
                #expect(cluster.server.counts(of: node).writes + cluster.server.counts(of: node).reads == 0)
            }
            let elsewhere = try cluster.store { ($0.dataCenter, $0.timeout) = ("dc3", .seconds(10)) }
            #expect { try elsewhere.profile(of: "lovelace") } throws: { code($0) == .unreachable }
        }

        @Test func statementsArePreparedOnceAndAgainWhenNodesForgetThem() throws {
            let cluster = try TestCluster()
            let store = try cluster.store()
            for round in 0..<50 {
                try store.save(["\(round)": "v", "x": "y"], for: "ada")
                #expect(try store.profile(of: "ada").assignments.count == round + 2)
            }
            let nodes = cluster.server.addresses.indices
            let preparations = nodes.reduce(0) { $0 + cluster.server.counts(of: $1).preparations }
            #expect(preparations <= 2 * nodes.count)
            cluster.server.forgetPrepared()
            for round in 0..<50 {
                try store.save(["\(round)": "w"], for: "ada")
                #expect(try store.profile(of: "ada").assignments["\(round)"] == "w")
            }
        }

        @Test func lookupsAtTheSameTimeAreLimited() throws {
            let cluster = try TestCluster()
            let store = try cluster.store { $0.concurrentLookups = 10 }
            _ = try store.profile(of: "unknown")
            cluster.server.delay(.milliseconds(50))
            let start = ContinuousClock.now
            #expect(try store.profiles(of: (0..<40).map { "user \($0)" }).count == 40)
            let elapsed = start.duration(to: .now)
            #expect(elapsed >= .milliseconds(200))
            cluster.server.removeFaults()
        }
    }
#endif
