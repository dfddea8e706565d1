/// Which nodes are used, and how often statements are prepared.
@Suite(.needsDriver, .blocking) struct CassandraRoutingTests {
    @Test func requestsGoToANodeThatHasTheUser() throws {
        let cluster = try TestCluster(.init(replicas: 1))
        let store = try cluster.store()
        _ = try store.profile(of: "unknown")
        var usedNodes: Set<Int> = []
        for user in (0..<30).map({ "user \($0)" }) {
            try cluster.resetCounts()
            for _ in 0..<3 {
                try store.save(["1": "2", "3": "4"], for: user)
                _ = try store.profiles(of: [user])
            }
            let counts = try cluster.counts
            let node = try #require(counts.firstIndex { $0.reads > 0 })
            #expect(counts[node].writes == 3 && counts[node].reads == 3)
            usedNodes.insert(node)
        }
        #expect(usedNodes == Set(cluster.nodes))
    }

    @Test func requestsStayInTheDataCenter() throws {
        let cluster = try TestCluster(.init(dataCenters: ["dc1", "dc2", "dc1", "dc2"], replicas: 2))
        let store = try cluster.store { $0.dataCenter = "dc2" }
        for user in (0..<30).map({ "user \($0)" }) {
            try store.save(["1": "2"], for: user)
            #expect(try store.profile(of: user) == UserProfile(["1": "2"]))
        }
        #expect(try cluster.counts.map { $0.reads + $0.writes > 0 } == [false, true, false, true])
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
        let preparations = try cluster.counts.reduce(0) { $0 + $1.preparations }
        #expect(preparations <= 2 * cluster.nodes.count)
        try cluster.forgetPrepared()
        for round in 0..<50 {
            try store.save(["\(round)": "w"], for: "ada")
            #expect(try store.profile(of: "ada").assignments["\(round)"] == "w")
        }
    }

    @Test func lookupsAtTheSameTimeAreLimited() throws {
        let cluster = try TestCluster()
        let store = try cluster.store { $0.concurrentLookups = 10 }
        _ = try store.profile(of: "unknown")
        try cluster.delay(milliseconds: 50)
        let start = ContinuousClock.now
        #expect(try store.profiles(of: (0..<40).map { "user \($0)" }).count == 40)
        let elapsed = start.duration(to: .now)
        #expect(elapsed >= .milliseconds(200))
        try cluster.removeFaults()
    }
}
