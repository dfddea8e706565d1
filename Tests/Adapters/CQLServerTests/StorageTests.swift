import CQLServer
import Testing

/// Rows are merged as Cassandra merges them.
@Suite struct StorageTests {
    @Test(arguments: [true, false]) func theNewestWriteWinsInAnyOrder(_ isInOrder: Bool) throws {
        let shop = try Shop()
        for timestamp in isInOrder ? [1, 2] : [2, 1] { try shop.insert("v\(timestamp)", at: timestamp) }
        #expect(try shop.variations == ["v2"])
    }

    @Test(arguments: [["a", "b"], ["b", "a"]]) func theGreaterValueWinsATie(_ values: [String]) throws {
        let shop = try Shop()
        for value in values { try shop.insert(value, at: 1) }
        #expect(try shop.variations == ["b"])
    }

    @Test func aDeletionWinsATie() throws {
        let shop = try Shop()
        try shop.insert("v", at: 1)
        try shop.server.run(
            "DELETE variation FROM shop.profiles USING TIMESTAMP 1 WHERE user = 'ada' AND experiment = 'e'")
        try shop.insert("w", at: 1)
        #expect(try shop.variations == ["null"])
    }

    @Test func columnsAreMergedOneByOne() throws {
        let shop = try Shop()
        try shop.insert("v", at: 3)
        try shop.server.run(
            "UPDATE shop.profiles USING TIMESTAMP 2 SET variation = 'w', seen = 5 "
                + "WHERE user = 'ada' AND experiment = 'e'")
        let rows = try shop.server.run(
            "SELECT variation, seen, writetime(variation), writetime(seen) AS seen_at FROM shop.profiles "
                + "WHERE user = 'ada' AND experiment = 'e'")
        #expect(
            rows == [
                [
                    "variation": .text("v"), "seen": .number(5), "writetime(variation)": .number(3),
                    "seen_at": .number(2),
                ]
            ])
    }

    @Test func valuesExpireByTheClock() throws {
        let shop = try Shop()
        try shop.insert("v", at: 1, timeToLive: 60)
        try shop.insert("w", experiment: "f", at: 1)
        shop.server.advanceClock(by: .seconds(30))
        let rows = try shop.server.run("SELECT ttl(variation) FROM shop.profiles WHERE user = 'ada'")
        guard case .number(let left) = rows[0]["ttl(variation)"] else {
            Issue.record("no time to live: \(rows)")
            return
        }
        // A second may begin in between.
        #expect([29, 30].contains(left))
        #expect(rows[1]["ttl(variation)"] == .null)
        shop.server.advanceClock(by: .seconds(31))
        #expect(try shop.variations == ["w"])
    }

    @Test func theTableHasADefaultTimeToLive() throws {
        let shop = try Shop(options: "WITH default_time_to_live = 60 AND comment = 'short'")
        try shop.server.run("INSERT INTO shop.profiles (user, experiment, variation) VALUES ('ada', 'e', 'v')")
        #expect(try shop.variations == ["v"])
        shop.server.advanceClock(by: .seconds(61))
        #expect(try shop.variations == [])
    }

    @Test func aNewerWriteOutlivesAnExpiredOne() throws {
        let shop = try Shop()
        try shop.insert("v", at: 1, timeToLive: 60)
        shop.server.advanceClock(by: .seconds(61))
        try shop.insert("w", at: 2)
        try shop.insert("x", at: 0)
        #expect(try shop.variations == ["w"])
    }

    @Test func aDeletedPartitionHidesOlderWritesThatComeLater() throws {
        let shop = try Shop()
        try shop.insert("v", at: 1)
        try shop.server.run("DELETE FROM shop.profiles USING TIMESTAMP 5 WHERE user = 'ada'")
        try shop.insert("w", at: 5)
        #expect(try shop.variations == [])
        try shop.insert("x", experiment: "f", at: 6)
        #expect(try shop.variations == ["x"])
    }

    @Test func aDeletedRowLeavesTheOthers() throws {
        let shop = try Shop()
        for experiment in ["e", "f"] { try shop.insert(experiment, experiment: experiment, at: 1) }
        try shop.server.run("DELETE FROM shop.profiles USING TIMESTAMP 2 WHERE user = 'ada' AND experiment = 'e'")
        try shop.insert("late", at: 2)
        #expect(try shop.variations == ["f"])
        try shop.insert("newer", at: 3)
        #expect(try shop.variations == ["newer", "f"])
    }

    @Test func anInsertedRowOutlivesItsValues() throws {
        let shop = try Shop()
        try shop.insert("v", at: 1)
        try shop.server.run(
            "UPDATE shop.profiles USING TIMESTAMP 1 SET variation = 'v' WHERE user = 'ada' AND experiment = 'f'")
        #expect(try shop.variations == ["v", "v"])
        for experiment in ["e", "f"] {
            try shop.server.run(
                "UPDATE shop.profiles USING TIMESTAMP 2 SET variation = null "
                    + "WHERE user = 'ada' AND experiment = '\(experiment)'")
        }
        #expect(try shop.variations == ["null"])
    }

    @Test func rowsStayWhenColumnsAreAdded() throws {
        let shop = try Shop()
        try shop.insert("v", at: 1)
        try shop.server.run("ALTER TABLE shop.profiles ADD device text")
        #expect(try shop.server.run("SELECT device FROM shop.profiles") == [["device": .null]])
        try shop.server.run("TRUNCATE shop.profiles")
        #expect(try shop.variations == [])
    }

    @Test func scansReadPartitionsByToken() throws {
        let shop = try Shop()
        for user in 0..<100 {
            try shop.server.run("INSERT INTO shop.profiles (user, experiment) VALUES ('u\(user)', 'e')")
        }
        let rows = try shop.server.run("SELECT token(user) AS place, user FROM shop.profiles")
        let tokens = rows.map { row in if case .number(let token) = row["place"] { token } else { Int64(0) } }
        #expect(tokens == tokens.sorted() && Set(tokens).count == 100)
        let half = "SELECT user FROM shop.profiles WHERE token(user)"
        let counts = try ["\(half) > 0", "\(half) <= 0"].map { try shop.server.run($0).count }
        #expect(counts[0] == tokens.count { $0 > 0 } && counts[0] + counts[1] == 100)
        #expect(try shop.server.run("SELECT count(*) FROM shop.profiles") == [["count": .number(100)]])
    }

    /// The tokens are those of cassandra-driver.
    @Test func tokensAreThoseOfThePartitioner() throws {
        let shop = try Shop()
        let tokens: [String: Int64] = [
            "123": -7_468_325_962_851_647_638, "é": 5_461_403_030_378_599_040,
            "日本語のとても長い鍵-0123456789": -225_077_621_554_705_993,
        ]
        for (key, token) in tokens {
            try shop.server.run("INSERT INTO shop.profiles (user, experiment) VALUES ('\(key)', 'e')")
            let rows = try shop.server.run("SELECT token(user) AS place FROM shop.profiles WHERE user = '\(key)'")
            #expect(rows == [["place": .number(token)]])
        }
    }
}
