import TurnoutSQLite

/// The clients of a project with their versions, in their order, and the numbers that they have in the file.
struct DistributionSources {
    private(set) var all = [(client: "", version: "")]
    private(set) var places: [Int64: Int] = [:]

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
