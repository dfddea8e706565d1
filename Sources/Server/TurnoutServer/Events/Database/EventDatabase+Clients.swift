import TurnoutSQLite

/// A client with the number of its exposures, and when the last one was received.
typealias SeenClient = (name: String, version: String, exposures: Int, lastSeen: Int64)

extension EventDatabase {
    /// The clients that have sent exposures since a time in milliseconds since 1970, the last one first: at most
    /// 100 of them, as far as the last 100,000 exposures tell. Blocks.
    func clients(since start: Int64) throws -> [SeenClient] {
        try reading { connection in
            let statement = try connection.statement(
                """
                SELECT ifnull(client, ''), ifnull(version, ''), sum(count), max(last) FROM sources JOIN
                    (SELECT source, count(*) AS count, max(received) AS last FROM exposures
                    WHERE id > (SELECT max(id) FROM exposures) - 100000 AND received >= ? GROUP BY source)
                    ON source = id
                GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT 100
                """)
            statement.bind(1, start)
            defer { statement.reset() }
            var clients: [SeenClient] = []
            while try statement.step() {
                clients.append((statement.text(0), statement.text(1), Int(statement.int(2)), statement.int(3)))
            }
            return clients
        }
    }
}
