/// Something in a datafile that is accepted but probably not meant.
public struct DatafileWarning: Sendable, Equatable, CustomStringConvertible {
    /// What it is about: `flag "checkout"`.
    public let subject: String
    /// What is doubtful, and what is done with it.
    public let message: String

    /// `flag "checkout": names experiment 17, which does not exist; it is skipped`.
    public var description: String { "\(subject): \(message)" }
}

extension Project {
    /// Everything in the datafile that is accepted but probably not meant. Computed when asked for.
    ///
    /// - Complexity: O(n) in the size of the datafile, times the variables of a flag.
    public var warnings: [DatafileWarning] {
        let deliveries = tables.rollouts.flatMap(\.rules.range).map { Rule(project: self, index: $0) }
        return flags.flatMap(\.warnings) + experiments.flatMap(\.warnings) + deliveries.flatMap(\.warnings)
            + holdoutWarnings + audiences.flatMap(\.warnings)
    }

    private var holdoutWarnings: [DatafileWarning] {
        let global = globalHoldouts.filter { !$0.row.includedRules.isEmpty }.map {
            DatafileWarning(
                subject: "holdout \"\($0.key)\"", message: "is global, so its list of rules is ignored")
        }
        let local = localHoldouts.filter { $0.row.includedRules.isEmpty }.map {
            DatafileWarning(
                subject: "holdout \"\($0.key)\"", message: "is local but lists no rules, so it holds out nobody")
        }
        return global + local + (globalHoldouts + localHoldouts).flatMap(\.warnings)
    }
}

extension Flag {
    fileprivate var warnings: [DatafileWarning] {
        let subject = "flag \"\(key)\""
        let known = Set(experiments.map(\.id))
        var messages = experimentIDs.filter { !known.contains($0) }.map {
            "names experiment \($0), which does not exist; it is skipped"
        }
        if row.rollout < 0, !rolloutID.trimmingBlanks.isEmpty {
            messages.append("names rollout \(rolloutID), which does not exist; it is skipped")
        }
        if project.flag(key)?.index != index { messages.append("has the key of a later flag, which is used instead") }
        messages += variables.flatMap { variable in
            var texts = [("its default", variable.defaultValue)]
            for rule in experiments + deliveryRules {
                texts += rule.variations.flatMap { variation in
                    variation.overrides.filter { $0.variableID == variable.id }
                        .map { ("variation \"\(variation.key)\" of \"\(rule.key)\"", $0.value) }
                }
            }
            return texts.filter { !variable.type.accepts($0.1) }.map { place, text in
                "variable \"\(variable.key)\": \(text.debugDescription) is no \(variable.typeName) (\(place)); "
                    + "decisions leave it out"
            }
        }
        return messages.map { DatafileWarning(subject: subject, message: $0) }
    }
}

extension Rule {
    fileprivate var warnings: [DatafileWarning] {
        let subject = "\(kind == .delivery ? "delivery rule" : "\(kind)") \"\(key)\""
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
        for entry in whitelist where !variations.contains(where: { $0.key == entry.variationKey }) {
            messages.append("whitelists a user for \"\(entry.variationKey)\", which it does not have")
        }
        messages += audience.problems
        return messages.map { DatafileWarning(subject: subject, message: $0) }
    }
}

extension Audience {
    fileprivate var warnings: [DatafileWarning] {
        condition.problems.map { DatafileWarning(subject: "audience \"\(name)\"", message: $0) }
    }
}

extension AudienceCondition {
    /// What keeps conditions below from ever being answered.
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
        guard Match(name: match) == nil else { return nil }
        return "has a condition of the unknown match type \"\(match)\", which is never met"
    }
}
