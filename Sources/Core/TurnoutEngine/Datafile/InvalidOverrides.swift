/// Finds variable values that are not of their variable's type, for warnings.
///
/// Flags can share rules. The result for a list of rules is cached, so it is scanned once for all flags.
struct InvalidOverrides {
    private let project: Project
    private var overrides: [Int32: [Symbol: [Place]]] = [:]
    private var problems: [ProblemKey: [String]] = [:]

    /// The most warnings about the values of one variable; one more gives the number of the others.
    private static let limit = 10

    /// Where a value is in the datafile.
    private struct Place {
        let rule, variation: Int
        let value: Symbol
    }

    private struct ProblemKey: Hashable {
        let rules: Int32
        let variable: Symbol
        let type: String
    }

    init(_ project: Project) { self.project = project }

    /// The problems with a flag's values for a variable.
    mutating func problems(of variable: Variable, in flag: Flag) -> [String] {
        var texts: [String] = []
        if !variable.type.accepts(variable.defaultValue) {
            texts.append(Self.problem(variable.defaultValue, variable.typeName, "its default"))
        }
        for row in flag.row.experiments.range {
            let rule = project.tables.flagExperimentRows[row]
            texts += problems(of: variable, in: Rows(first: rule, count: 1))
        }
        if flag.row.rollout >= 0 {
            texts += problems(of: variable, in: project.tables.rollouts[Int(flag.row.rollout)].rules)
        }
        if texts.count > Self.limit {
            texts = texts.prefix(Self.limit) + ["\(texts.count - Self.limit) more values are not of its type"]
        }
        return texts.map { "variable \"\(variable.key)\": \($0)" }
    }

    private mutating func problems(of variable: Variable, in rules: Rows) -> [String] {
        guard !rules.isEmpty else { return [] }
        let id = variable.row.id
        guard let places = places(in: rules)[id] else { return [] }
        let key = ProblemKey(rules: rules.first, variable: id, type: variable.typeName)
        if let known = problems[key] { return known }
        let found = places.compactMap { place -> String? in
            let value = project.text(place.value)
            guard !variable.type.accepts(value) else { return nil }
            let variation = project.text(project.tables.variations[place.variation].key)
            let rule = project.text(project.tables.rules[place.rule].key)
            return Self.problem(value, variable.typeName, "variation \"\(variation)\" of \"\(rule)\"")
        }
        problems[key] = found
        return found
    }

    private static func problem(_ value: String, _ type: String, _ place: String) -> String {
        "\(value.debugDescription) is not a valid \(type) (\(place)); decisions leave it out"
    }

    /// The values that some rules override, by variable id.
    private mutating func places(in rules: Rows) -> [Symbol: [Place]] {
        if let known = overrides[rules.first] { return known }
        let tables = project.tables
        var places: [Symbol: [Place]] = [:]
        for rule in rules.range {
            for variation in tables.rules[rule].variations.range {
                for row in tables.variations[variation].overrides.range.map({ tables.overrides[$0] }) {
                    places[row.variableID, default: []]
                        .append(Place(rule: rule, variation: variation, value: row.value))
                }
            }
        }
        overrides[rules.first] = places
        return places
    }
}
