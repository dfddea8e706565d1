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
        guard MatchName(name: match) == nil else { return nil }
        return "has a condition of the unknown match type \"\(match)\", which is never met"
    }
}
