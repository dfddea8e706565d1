/// Something in a datafile that is accepted but probably a mistake.
public struct DatafileWarning: Sendable, Equatable, CustomStringConvertible {
    /// The entity it is about: `flag "checkout"`.
    public let subject: String
    /// The problem, and how it is handled.
    public let message: String

    /// `flag "checkout": names experiment 17, which does not exist; it is skipped`.
    public var description: String { "\(subject): \(message)" }
}

extension Project {
    /// The parts of the datafile that are accepted but probably a mistake. Computed on each access.
    ///
    /// - Complexity: O(n) in the size of the datafile.
    public var warnings: [DatafileWarning] {
        let rolloutRules = tables.rollouts.flatMap(\.rules.range).map { Rule(project: self, index: $0) }
        return flagWarnings + experiments.flatMap(\.warnings) + rolloutRules.flatMap(\.warnings)
            + holdoutWarnings + audienceWarnings
    }

    private var flagWarnings: [DatafileWarning] {
        var overrides = InvalidOverrides(self)
        return flags.flatMap { $0.warnings(&overrides) }
    }

    private var audienceWarnings: [DatafileWarning] {
        let totals = tables.audiencesNeedBudget ? tables.totalExtents() : []
        return audiences.flatMap { audience in
            var warnings = audience.warnings
            if tables.audiences[audience.index].isCyclic {
                warnings.append(
                    audience.warning("refers to itself, directly or indirectly; that part is never met"))
            } else if totals.indices.contains(audience.index), let levels = totals[audience.index]?.levels,
                levels > AudienceExtent.maximumLevels
            {
                warnings.append(
                    audience.warning(
                        "is \(levels) levels deep; what is more than \(AudienceExtent.maximumLevels) levels down is "
                            + "never met"))
            }
            return warnings
        }
    }

    private var holdoutWarnings: [DatafileWarning] {
        let global = globalHoldouts.filter { !$0.row.includedRules.isEmpty }.map {
            DatafileWarning(
                subject: "holdout \"\($0.key)\"", message: "is global, so its list of rules is ignored")
        }
        let local = localHoldouts.filter { $0.row.includedRules.isEmpty }.map {
            DatafileWarning(
                subject: "holdout \"\($0.key)\"", message: "is local but lists no rules, so it has no effect")
        }
        return global + local + (globalHoldouts + localHoldouts).flatMap(\.warnings)
    }
}

extension Flag {
    fileprivate func warnings(_ overrides: inout InvalidOverrides) -> [DatafileWarning] {
        let subject = "flag \"\(key)\""
        var messages = unknownExperimentIDs.map { "names experiment \($0), which does not exist; it is skipped" }
        if row.rollout < 0, !rolloutID.trimmingBlanks.isEmpty {
            messages.append("names rollout \(rolloutID), which does not exist; it is skipped")
        }
        if project.flag(key)?.index != index { messages.append("has the key of a later flag, which is used instead") }
        for variable in variables where variable.type.canBeInvalid {
            messages += overrides.problems(of: variable, in: self)
        }
        return messages.map { DatafileWarning(subject: subject, message: $0) }
    }

    private var unknownExperimentIDs: [String] {
        row.experimentIDs.range.map { project.tables.symbolLists[$0] }
            .filter { project.tables.experimentsByID[$0] == nil }.map(project.text)
    }
}

extension Rule {
    fileprivate var warnings: [DatafileWarning] {
        let subject = "\(kind == .rollout ? "rollout rule" : "\(kind)") \"\(key)\""
        var messages: [String] = []
        for range in traffic where range.entityKey == nil && !range.entityID.isEmpty && !range.buckets.isEmpty {
            messages.append("gives traffic to \(range.entityID), which does not exist; these users get nothing")
        }
        let ends = row.traffic.range.map { project.tables.traffic[$0].endOfRange }
        if zip(ends, ends.dropFirst()).contains(where: { $0 > $1 }) {
            messages.append("has traffic ranges out of order; the first that ends above a bucket counts")
        }
        if ends.contains(where: { $0 < 0 || $0 > Bucketing.bucketCount }) {
            messages.append("has a traffic range that ends outside 0 to \(Bucketing.bucketCount)")
        }
        let keys = Set(row.variations.range.map { project.tables.variations[$0].key })
        for entry in row.whitelist.range.map({ project.tables.whitelist[$0].variationKey })
        where !keys.contains(entry) {
            messages.append("whitelists a user for \"\(project.text(entry))\", which it does not have")
        }
        messages += audience.problems
        return messages.map { DatafileWarning(subject: subject, message: $0) }
    }
}

extension Audience {
    fileprivate var warnings: [DatafileWarning] {
        condition.problems.map(warning)
    }

    fileprivate func warning(_ message: String) -> DatafileWarning {
        DatafileWarning(subject: "audience \"\(name)\"", message: message)
    }
}

extension AudienceCondition {
    /// Reasons why conditions below cannot be evaluated.
    fileprivate var problems: [String] {
        switch self {
        case .everyone, .audience: []
        case .all(let operands), .any(let operands), .not(let operands): operands.flatMap(\.problems)
        case .never(let reason): ["has a condition that is never met: \(reason)"]
        case .attribute(let name, let match, _):
            name == nil ? ["has a condition that names no attribute"] : Self.problem(match).map { [$0] } ?? []
        }
    }

    private static func problem(_ match: String) -> String? {
        guard MatchName(rawValue: match) == nil else { return nil }
        return "has a condition of the unknown match type \"\(match)\", which is never met"
    }
}

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
