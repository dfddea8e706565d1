/// Profiles in Cassandra fulfill the contract of profile stores.
@Suite(.needsDriver, .blocking) struct CassandraContractTests {
    @Test(arguments: [nil, Duration.seconds(600)])
    func profilesKeepTheContract(_ timeToLive: Duration?) async throws {
        let cluster = try TestCluster()
        try await checkProfileStore(underEveryPolicy: isThorough) {
            try cluster.truncate()
            return try cluster.store { $0.timeToLive = timeToLive }
        }
    }

    @Test func profilesOnOneNodeKeepTheContract() async throws {
        let cluster = try TestCluster(
            .init(dataCenters: ["dc1"], replicas: 1, user: "ada lovelace", password: "s3cret"))
        try await checkProfileStore {
            try cluster.truncate()
            return try cluster.store {
                ($0.username, $0.password, $0.concurrentLookups) = ("ada lovelace", "s3cret", 1)
            }
        }
    }
}
