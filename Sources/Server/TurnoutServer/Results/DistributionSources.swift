import TurnoutSQLite

/// The clients of a project with their versions, in their order, and the numbers that they have in the file.
struct DistributionSources {
    private(set) var all = [(client: "", version: "")]
    private(set) var places: [Int64: Int] = [:]

    /// The clients and versions of an experiment's exposures, which an engine has.
    init(of exposures: EngineResult) {
        var (known, last): (Set<[String]>, _) = ([], ("", ""))
        for row in 0..<exposures.count {
            let client = (exposures.text(2, row), exposures.text(3, row))
            if client != last { known.insert([client.0, client.1]) }
            last = client
        }
        let sorted = known.map { Array($0) }.sorted { left, right in
            left.lexicographicallyPrecedes(right) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
        all += sorted.filter { $0 != ["", ""] }.map { ($0[0], $0[1]) }
    }

    init(ofProject id: String, _ connection: SQLiteConnection) throws {
        let statement = try connection.statement(
            """
            SELECT id, ifnull(client, '') AS name, ifnull(version, '') AS number FROM sources WHERE project = ?
            ORDER BY name, number
            """)
        statement.bind(1, id)
        defer { statement.reset() }
        while try statement.step() {
            let source = (statement.text(1), statement.text(2))
            if all[all.count - 1] != source { all.append(source) }
            places[statement.int(0)] = all.count - 1
        }
    }
}
