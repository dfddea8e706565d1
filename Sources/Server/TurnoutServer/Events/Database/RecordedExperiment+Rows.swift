import TurnoutEngine
import TurnoutFlags
import TurnoutSQLite

extension RecordedExperiment {
    /// The experiments of a project, or of all projects, with their plans.
    static func all(ofProject id: String?, _ connection: SQLiteConnection) throws -> [RecordedExperiment] {
        let statement = try connection.statement(
            """
            SELECT project, id, environment, key, flag, variations, metrics, since, revision, status, traffic,
                weights, allow_list, kind, planned
            FROM experiments JOIN periods ON experiment = number WHERE ?1 IS NULL OR project = ?1
            ORDER BY number, since
            """)
        statement.bind(1, id)
        defer { statement.reset() }
        var experiments: [RecordedExperiment] = []
        while try statement.step() {
            let experiment = RecordedExperiment(statement)
            if let last = experiments.last, (last.projectID, last.id) == (experiment.projectID, experiment.id) {
                experiments[experiments.count - 1].periods += experiment.periods
            } else {
                experiments.append(experiment)
            }
        }
        return experiments
    }

    private init(_ row: Statement) {
        (projectID, id, environment, key) = (row.text(0), row.text(1), row.text(2), row.text(3))
        flag = row.optionalText(4)
        variations = row.json(5).elements.map { Variation(id: $0["id"].text, key: $0["key"].text) }
        metrics = row.json(6).elements.map { ExperimentMetric($0) }
        plannedVisitors = row.isNull(14) ? nil : Int(row.int(14))
        let weights = row.json(11).members.compactMapValues { $0.number.map { Int($0) } }
        let plan = Plan(
            status: row.text(9), traffic: Int(row.int(10)), weights: weights,
            allowList: row.json(12).elements.map(\.text), kind: row.text(13))
        periods = [Period(since: row.int(7), revision: row.text(8), plan: plan)]
    }

    var variationTexts: String {
        JSONValue.array(variations.map { .object(["id": .string($0.id), "key": .string($0.key)]) }).compactText
    }

    var metricTexts: String { JSONValue.array(metrics.map(\.json)).compactText }
}

extension RecordedExperiment.Plan {
    var weightTexts: String { JSONValue.object(weights.mapValues { .integer(Int64($0)) }).compactText }
    var allowListText: String { JSONValue.array(allowList.map { .string($0) }).compactText }
}

extension ExperimentMetric {
    fileprivate init(_ json: JSONValue) {
        self.init(
            event: json["event"].text, aggregation: Aggregation(rawValue: json["aggregation"].text) ?? .unique,
            direction: Direction(rawValue: json["direction"].text) ?? .increase)
        if case .string(let text)? = json["name"] { name = text }
        windowDays = json["windowDays"]?.number.map { Int($0) }
        winsorising = json["winsorising"]?.number.map { Int($0) }
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "event": .string(event), "aggregation": .string(aggregation.rawValue),
            "direction": .string(direction.rawValue),
        ]
        members["name"] = name.map(JSONValue.string)
        members["windowDays"] = windowDays.map { .integer(Int64($0)) }
        members["winsorising"] = winsorising.map { .integer(Int64($0)) }
        return .object(members)
    }
}

extension Statement {
    /// The JSON in a column, which this server wrote.
    fileprivate func json(_ column: Int32) -> JSONValue { (try? JSONValue(parsing: text(column))) ?? .null }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    fileprivate var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    fileprivate var text: String { Optional(self).text }
}

extension JSONValue? {
    fileprivate var text: String {
        guard case .string(let text) = self else { return "" }
        return text
    }
}
