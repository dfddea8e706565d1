/// What is stored, and how.
@Suite(.needsDriver, .blocking) struct CassandraStoreTests {
    private let cluster: TestCluster

    init() throws { cluster = try TestCluster() }

    @Test func assignmentsAreRowsWithTimesAndLives() throws {
        let store = try cluster.store { $0.timeToLive = .milliseconds(89_999_500) }
        #expect(store.isRemote && !store.savesImmediately)
        try store.save(["1": "a", "2": "b"], for: "ada")
        try store.save(["1": "c"], for: "ada")
        let rows = try cluster.rows(of: "ada")
        #expect(rows.map(\.variation) == ["c", "b"])
        let now = WallClockNow.microseconds
        #expect(rows[0].time > rows[1].time && now - 60_000_000...now ~= rows[1].time)
        for row in rows { #expect(89_000...90_000 ~= row.life ?? 0) }
    }

    @Test func assignmentsExpireByThemselves() throws {
        let (short, endless) = (try cluster.store { $0.timeToLive = .seconds(600) }, try cluster.store())
        try endless.save(["1": "a"], for: "ada")
        try short.save(["2": "b"], for: "ada")
        try cluster.advanceClock(by: 599 - 60)
        try short.save(["3": "c"], for: "ada")
        #expect(try endless.profile(of: "ada") == UserProfile(["1": "a", "2": "b", "3": "c"]))
        try cluster.advanceClock(by: 62)
        #expect(try endless.profile(of: "ada") == UserProfile(["1": "a", "3": "c"]))
    }

    @Test func additionsAreOneBatchAndReadNothing() throws {
        let store = try cluster.store()
        try store.save(["1": "a"], for: "ada")
        try store.save(["1": "a", "2": "b", "3": "c"], for: "ada")
        #expect(try cluster.writeCount == 2 && cluster.readCount == 0)
        #expect(try store.profile(of: "ada") == UserProfile(["1": "a", "2": "b", "3": "c"]))
        #expect(try cluster.readCount == 1)
    }

    @Test func writersMergeWithoutKnowingOfEachOther() async throws {
        let stores = [try cluster.store(), try cluster.store()]
        let roundCount = rounds(10, thorough: 100)
        try await concurrently(0..<4) { task in
            try await blocking {
                for round in 0..<roundCount {
                    try stores[task % 2].save(["\(task)/\(round)": "v", "x": "y"], for: "ada")
                }
            }
        }
        for store in stores { #expect(try store.profile(of: "ada").assignments.count == 4 * roundCount + 1) }
    }

    @Test func theLaterOfTwoTimesWins() throws {
        let store = try cluster.store()
        let (now, hour) = (WallClockNow.microseconds, Int64(3_600_000_000))
        try cluster.insert("other", of: "1", for: "ada", at: now - hour)
        try cluster.insert("other", of: "2", for: "ada", at: now + hour)
        try store.save(["1": "own", "2": "own"], for: "ada")
        #expect(try store.profile(of: "ada") == UserProfile(["1": "own", "2": "other"]))
    }

    /// A write that is held up in the network and arrives after a later one.
    @Test func aLateWriteDoesNotReplaceALaterOne() async throws {
        let cluster = try TestCluster(.init(dataCenters: ["dc1"], replicas: 1))
        let proxy = try FaultyProxy(to: cluster.port)
        defer { proxy.stop() }
        let direct = try cluster.store()
        let held = try cluster.store {
            $0.port = proxy.port
            $0.timeout = .milliseconds(300)
        }
        try await wait("a first write") { (try? held.save(["1": "a", "2": "a"], for: "ada")) != nil }
        proxy.behavior = .hold
        #expect { try held.save(["1": "b", "3": "b"], for: "ada") } throws: { code($0) == .deadlineExceeded }
        try direct.save(["1": "c"], for: "ada")
        proxy.behavior = .pass
        try await wait("the late write") { try direct.profile(of: "ada").assignments["3"] == "b" }
        #expect(try direct.profile(of: "ada") == UserProfile(["1": "c", "2": "a", "3": "b"]))
    }

    @Test func anyTextIsAUserID() throws {
        let store = try cluster.store()
        let ids =
            ["", "\u{0}", "\u{0}\u{0}", " ", "\n", "'", "\"", "e\u{301}", "\u{e9}", "🙂"]
            + [250, 65_535].map { String(repeating: "x", count: $0) }
        for (number, id) in ids.enumerated() { try store.save(["1": "\(number)"], for: id) }
        for (number, id) in ids.enumerated() {
            #expect(try store.profile(of: id).assignments == ["1": "\(number)"], "user \(number)")
        }
        #expect(try store.count == ids.count)
        let long = String(repeating: "lovelace", count: 8_192)
        #expect(try store.profile(of: long) == UserProfile())
        #expect { try store.save(["1": "a"], for: long) } throws: { code($0) == .tooLarge }
        #expect { try store.save(["1": "a"], for: "\u{0}" + long.dropLast()) } throws: { code($0) == .tooLarge }
        try store.forget(long)
        #expect { try store.save([long: "a"], for: "ada") } throws: { code($0) == .tooLarge }
    }

    @Test func manyUsersAndAssignmentsArePaged() throws {
        let store = try cluster.store()
        let many = Dictionary(uniqueKeysWithValues: (0..<5_100).map { ("\($0)", "v\($0)") })
        try store.save(many, for: "ada")
        #expect(try store.profile(of: "ada") == UserProfile(many))
        let users = (0..<5_100).map { "user-\($0)" }
        for user in users { try store.save(["1": user], for: user) }
        #expect(try store.count == users.count + 1)
        let profiles = try store.profiles(of: users + ["unknown", "user-1"])
        #expect(profiles.count == users.count + 1 && profiles["unknown"] == UserProfile())
        #expect(users.allSatisfy { profiles[$0] == UserProfile(["1": $0]) })
    }

    @Test func usersAreForgotten() throws {
        let store = try cluster.store()
        try store.save(["1": "2", "3": "4"], for: "ada")
        try store.save(["1": "2"], for: "grace")
        try store.forget("ada")
        try store.forget("ada")
        #expect(try store.profile(of: "ada") == UserProfile() && store.count == 1)
        try store.save(["1": "3"], for: "ada")
        #expect(try store.profile(of: "ada") == UserProfile(["1": "3"]))
        #expect(try store.profile(of: "grace") == UserProfile(["1": "2"]))
    }

    @Test func usersStayUntilTheTableIsEmptied() async throws {
        try await checkThatUsersStay(in: { try cluster.store() }) { try cluster.truncate() }
    }

    // MARK: Cassandra contract
    // Profiles in Cassandra fulfill the contract of profile stores.

    @Test(arguments: [nil, Duration.seconds(600)])
    func profilesKeepTheContract(_ timeToLive: Duration?) async throws {
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

enum WallClockNow {
    static var microseconds: Int64 { SystemWallClock().millisecondsSince1970() * 1_000 }
}
