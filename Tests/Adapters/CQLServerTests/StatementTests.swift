import CQLServer
import Testing

/// Statements are read as Cassandra reads them, and others are refused with a reason.
@Suite struct StatementTests {
    @Test(arguments: [
        ("SELECT", "found end where a name is expected"),
        ("SELECT FROM shop.profiles", "found word(\"shop\") where from is expected"),
        ("SELECT * FROM shop.profiles WHERE user LIKE 'a'", "found word(\"like\") where a comparison is expected"),
        ("SELECT * FROM shop.profiles WHERE user = 'a", "a quotation mark is not closed"),
        ("SELECT * FROM shop.profiles /* a", "a comment is not closed"),
        ("SELECT * FROM shop.profiles; SELECT", "found word(\"select\") where the end is expected"),
        ("EXPLAIN", "found word(\"explain\") where a statement that this server knows is expected"),
        ("SELECT * FROM profiles", "no keyspace is in use: name it before the table profiles"),
        ("SELECT * FROM other.profiles", "the keyspace other does not exist"),
        ("SELECT * FROM shop.other", "unconfigured table other"),
        ("SELECT other FROM shop.profiles", "the table shop.profiles has no column other"),
        ("SELECT max(seen) FROM shop.profiles", "the function max is unknown"),
        ("SELECT * FROM shop.profiles WHERE user = 5", "a constant is not a value of the type text"),
        ("SELECT * FROM shop.profiles WHERE user = ''", "the partition key is empty"),
        (
            "SELECT * FROM shop.profiles WHERE seen = 5",
            "the query would filter rows, and does not allow it: use ALLOW FILTERING"
        ),
        ("SELECT * FROM shop.profiles LIMIT 0", "the limit is not positive"),
        ("UPDATE shop.profiles SET user = 'a' WHERE user = 'a'", "the column user is part of the primary key"),
        (
            "UPDATE shop.profiles SET seen = 5 WHERE user = 'a'",
            "this server writes and deletes single rows or whole partitions"
        ),
        ("INSERT INTO shop.profiles (experiment) VALUES ('e')", "the partition key is not complete"),
        ("INSERT INTO shop.profiles (user) VALUES ('e', 'f')", "the numbers of columns and values differ"),
        (
            "INSERT INTO shop.profiles (user, experiment) VALUES ('e', 'f') IF NOT EXISTS",
            "this server has no lightweight transactions"
        ),
        (
            "INSERT INTO shop.profiles (user, experiment) VALUES ('e', 'f') USING TTL -1",
            "the time to live is negative: -1"
        ),
        (
            "INSERT INTO shop.profiles (user, experiment) VALUES ('e', 'f') USING TTL 630720001",
            "the time to live is too large: 630720001"
        ),
        ("CREATE TABLE shop.profiles (a text PRIMARY KEY)", "shop.profiles exists already"),
        ("CREATE TABLE shop.a (a text)", "the table has no primary key"),
        ("CREATE TABLE shop.a (a list PRIMARY KEY)", "this server has no columns of the type list"),
        ("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy'}", "shop exists already"),
        ("DROP TABLE shop.other", "unconfigured table other"),
    ])
    func wrongStatementsAreRefusedWithAReason(_ statement: String, _ reason: String) throws {
        #expect(try Shop().refusal(statement) == reason)
    }

    @Test(arguments: [
        "select * FROM shop.PROFILES where user='a' and experiment in ('a', 'b') order by experiment desc limit 5;",
        "SELECT \"user\", seen AS at FROM shop.profiles -- all of them",
        "SELECT * FROM shop.profiles WHERE user IN ('a''b', 'c') // two",
        "SELECT * FROM shop.profiles WHERE seen >= -5 ALLOW FILTERING",
        "SELECT DISTINCT user FROM shop.profiles WHERE token(user) > -5 AND token(user) <= 5",
        "INSERT INTO shop.profiles (user, experiment, seen) VALUES ('a', 'b', null) USING TIMESTAMP 5",
        "UPDATE shop.profiles USING TTL 5 AND TIMESTAMP 6 SET seen = 5, variation = '' "
            + "WHERE user = 'a' AND experiment = 'b'",
        "DELETE seen, variation FROM shop.profiles WHERE user = 'a' AND experiment = 'b'",
        "DELETE FROM shop.profiles WHERE user IN ('a', 'b')",
        "CREATE TABLE IF NOT EXISTS shop.profiles (a text PRIMARY KEY)",
        "CREATE TABLE shop.a (a text, b uuid, c blob, d int, e timestamp, PRIMARY KEY ((a, b), d, c)) WITH "
            + "CLUSTERING ORDER BY (d DESC, c ASC) AND compaction = {'class': 'LeveledCompactionStrategy'}",
        "CREATE KEYSPACE IF NOT EXISTS shop WITH replication = {'class': 'SimpleStrategy'} AND durable_writes = true",
        "DROP TABLE IF EXISTS shop.other",
        "DROP KEYSPACE shop",
    ])
    func statementsRun(_ statement: String) throws { #expect(try Shop().refusal(statement) == nil) }

    @Test func conditionsSelectRowsOfAPartition() throws {
        let shop = try Shop()
        for experiment in ["a", "b", "c", "d"] { try shop.insert(experiment, experiment: experiment, at: 1) }
        func found(_ condition: String) throws -> String {
            try shop.server.run("SELECT experiment FROM shop.profiles WHERE user = 'ada' \(condition)").map {
                $0["experiment"].map { "\($0)" } ?? ""
            }.joined()
        }
        #expect(try found("AND experiment > 'b'") == "cd")
        #expect(try found("AND experiment >= 'b' AND experiment < 'd'") == "bc")
        #expect(try found("AND experiment IN ('d', 'a', 'x')") == "ad")
        #expect(try found("ORDER BY experiment DESC LIMIT 3") == "dcb")
        #expect(try found("AND experiment = 'x'").isEmpty)
    }
}
