package import TurnoutEngine
import TurnoutSQLite

extension EventDatabase {
    /// The most users that are looked up, and the most events of a kind in which they are looked for.
    private static let seenLimit: (users: Int64, events: Int64) = (10_000, 500_000)

    /// The users whose events were received since a time, those of the latest events first, each with the
    /// attributes of the latest event.
    ///
    /// - Parameter start: Milliseconds since 1970.
    /// - Returns: At most 10,000 users, of the latest 500,000 exposures and conversions.
    /// - Throws: The error of the file.
    package func seenUsers(since start: Int64) throws -> [User] {
        // Look-ups of segments share a connection, and must not wait.
        let connection = try connectionForReading()
        let statement = try connection.statement(Self.seenUsers)
        defer { statement.reset() }
        statement.bind(1, start)
        statement.bind(2, Self.seenLimit.users)
        statement.bind(3, Self.seenLimit.events)
        var users: [User] = []
        while try statement.step() {
            users.append(User(statement.text(0), attributes: Attributes(ofEvent: statement.bytes(1))))
        }
        return users
    }

    /// The attributes of a user's latest event, and when it was received; nil if the latest 500,000 exposures and
    /// conversions have none.
    package func latestAttributes(of user: String, inProject project: String) throws -> (Attributes, Int64)? {
        let connection = try connectionForReading()
        let statement = try connection.statement(Self.latestAttributes)
        defer { statement.reset() }
        statement.bind(1, EventHash.visitor(user, of: project))
        statement.bind(2, Self.seenLimit.events)
        guard try statement.step() else { return nil }
        return (Attributes(ofEvent: statement.bytes(0)), statement.int(1))
    }

    private static let latestAttributes = """
        SELECT a.content, e.received
        FROM (SELECT attributes, received FROM exposures
                WHERE id > (SELECT max(id) FROM exposures) - ?2 AND visitor = ?1
            UNION ALL SELECT attributes, received FROM conversions
                WHERE id > (SELECT max(id) FROM conversions) - ?2 AND visitor = ?1) e
        JOIN attributes a ON a.id = e.attributes ORDER BY e.received DESC LIMIT 1
        """

    /// With `max`, SQLite takes the other columns of a group from the row that has the maximum.
    private static let seenUsers = """
        SELECT v.visitor, a.content
        FROM (SELECT visitor, attributes, max(received) AS seen
            FROM (SELECT visitor, attributes, received FROM exposures
                    WHERE id > (SELECT max(id) FROM exposures) - ?3 AND received >= ?1
                UNION ALL SELECT visitor, attributes, received FROM conversions
                    WHERE id > (SELECT max(id) FROM conversions) - ?3 AND received >= ?1)
            GROUP BY visitor) e
        JOIN visitors v ON v.id = e.visitor LEFT JOIN attributes a ON a.id = e.attributes
        ORDER BY e.seen DESC, e.visitor LIMIT ?2
        """
}

extension Attributes {
    /// Reads the attributes of an event, `[{"key": "country", "value": "US"}]`. Those without a key are left out,
    /// and so is the project's setting for bots, which is among them.
    fileprivate init(ofEvent content: [UInt8]) {
        self.init()
        guard case .array(let elements)? = try? JSONValue(parsing: content) else { return }
        for element in elements {
            guard case .string(let name)? = element["key"], name != "$opt_bot_filtering",
                let value = element["value"]
            else { continue }
            self[name] = AttributeValue(value)
        }
    }
}
