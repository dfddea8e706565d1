import TurnoutEngine

/// The differences of a flag that two projects have.
struct FlagComparison {
    let old: AuthoredFlag
    let new: AuthoredFlag
    let environments: [String]
    private var subject: [String] { ["flag \(new.key)"] }

    var changes: [ProjectChange] { own + variables + variations + rules }

    /// The effects of a new flag, in the environments of the comparison.
    var additions: [ProjectChange] {
        merged { new.rules(in: $0).additions(to: subject) }
    }

    private var own: [ProjectChange] {
        [
            Detail.changed("description", old.description, new.description),
            Detail.verbatim(old.verbatim, new.verbatim),
        ].compactMap { $0.map { ProjectChange(.changed, subject, $0) } }
    }

    private var variables: [ProjectChange] {
        PartPairs(old.variables, new.variables).changes("variable", in: subject) {
            [
                Detail.changed("type", $0.type.rawValue, $1.type.rawValue),
                Detail.changed("default", $0.defaultValue, $1.defaultValue),
                Detail.changed("description", $0.description, $1.description),
                Detail.verbatim($0.verbatim, $1.verbatim),
            ]
        }
    }

    private var variations: [ProjectChange] {
        PartPairs(old.variations, new.variations).changes("variation", in: subject) { $0.details(comparedTo: $1) }
    }

    /// The differences of the rules. A difference common to all environments is reported once.
    private var rules: [ProjectChange] {
        merged { changes(from: old.rules(in: $0), to: new.rules(in: $0)) }
    }

    /// The changes in all environments, each with those that it is in, unless it is in all.
    private func merged(_ changes: (_ environment: String) -> [ProjectChange]) -> [ProjectChange] {
        var order: [ProjectChange] = []
        var found: [ProjectChange: [String]] = [:]
        for environment in environments {
            for change in changes(environment) {
                if found[change] == nil { order.append(change) }
                found[change, default: []].append(environment)
            }
        }
        return order.map { change in
            var change = change
            let places = found[change] ?? []
            if places.count < environments.count { change.environments = places }
            return change
        }
    }

    private func changes(from before: AuthoredRules, to after: AuthoredRules) -> [ProjectChange] {
        let own = [
            Detail.turned(before.isEnabled, after.isEnabled),
            Detail.changed("everyone else", before.everyoneElse?.variation, after.everyoneElse?.variation),
            order(
                before.experiments.map(\.key) + before.deliveries.map(\.key),
                after.experiments.map(\.key) + after.deliveries.map(\.key)),
            Detail.verbatim(before.verbatim, after.verbatim),
            Detail.verbatim(before.everyoneElse?.verbatim ?? [:], after.everyoneElse?.verbatim ?? [:]),
        ].compactMap { $0.map { ProjectChange(.changed, subject, $0) } }
        return own
            + PartPairs(before.experiments, after.experiments).changes(\.kind.label, in: subject) {
                $0.details(comparedTo: $1)
            } added: {
                $0.summary
            }
            + PartPairs(before.deliveries, after.deliveries).changes("delivery", in: subject) {
                $0.details(comparedTo: $1)
            } added: {
                $0.summary
            }
    }

    /// The rules that both lists have, if they are in another order.
    private func order(_ before: [String], _ after: [String]) -> String? {
        let (old, new) = (before.filter(after.contains), after.filter(before.contains))
        return old == new ? nil : "order of rules \(old.joined(separator: ", ")) → \(new.joined(separator: ", "))"
    }
}

extension AuthoredFlag {
    /// What differs from the flag in another environment; both are ``resolved(in:)``.
    package func differences(from other: AuthoredFlag) -> [ProjectChange] {
        FlagComparison(old: other, new: self, environments: [""]).changes
    }
}

extension AuthoredVariation {
    fileprivate func details(comparedTo other: AuthoredVariation) -> [String?] {
        let values = { (variation: AuthoredVariation) in
            variation.overrides.map { (name: $0.variable, value: $0.value) }
        }
        return [Detail.changed("enabled", isEnabled, other.isEnabled)]
            + Detail.shares("", values(self), values(other)) + [Detail.verbatim(verbatim, other.verbatim)]
    }
}

extension AuthoredExperiment {
    /// The differences from another version of the experiment.
    func details(comparedTo other: AuthoredExperiment) -> [String?] {
        let metrics = { (experiment: AuthoredExperiment) in
            experiment.metrics.map(\.text).joined(separator: ", ")
        }
        return [
            kind == other.kind ? nil : "kind \(kind.words) → \(other.kind.words)",
            Detail.changed("status", status.spelling, other.status.spelling),
            Detail.changed("traffic", traffic.percent, other.traffic.percent),
        ] + split.details(comparedTo: other.split)
            + Detail.condition("audience", audience, other.audience) + allowListDetails(comparedTo: other) + [
                Detail.changed("metrics", metrics(self), metrics(other)),
                Detail.changed("plan", plan?.text, other.plan?.text),
                variations == other.variations ? nil : "variations of its own changed",
                Detail.verbatim(verbatim, other.verbatim),
            ]
    }

    /// How many users came, left and changed their variation, with up to three of them.
    private func allowListDetails(comparedTo other: AuthoredExperiment) -> [String?] {
        let (old, new) = (variationsByUser, other.variationsByUser)
        let users = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        guard !users.isEmpty else { return [] }
        let counts = [
            (count: users.count { old[$0] == nil }, word: "added"),
            (count: users.count { new[$0] == nil }, word: "removed"),
            (count: users.count { old[$0] != nil && new[$0] != nil }, word: "with another variation"),
        ].filter { $0.count > 0 }.map { "\($0.count) \($0.word)" }
        let named = users.prefix(3).map { "\($0) \(old[$0] ?? "none") → \(new[$0] ?? "none")" }
        let rest = users.count > 3 ? ["…"] : []
        return [
            "users in the allow list: \(counts.joined(separator: ", ")) (\((named + rest).joined(separator: ", ")))"
        ]
    }

    private var variationsByUser: [String: String] {
        Dictionary(allowList.flatMap { entry in entry.userIDs.map { ($0, entry.variation) } }) { first, _ in first }
    }
}

extension [SplitShare] {
    /// The differences in percent. Weights are shown as written if the rounded percentages would be equal.
    fileprivate func details(comparedTo other: [SplitShare]) -> [String?] {
        guard !divides(as: other) else { return [] }
        let shares = Detail.shares("split", percents, other.percents)
        guard shares.isEmpty else { return shares }
        let weights = { (split: [SplitShare]) in split.map { (name: $0.variation, value: $0.weightText) } }
        return Detail.shares("split", weights(self), weights(other))
    }

    private var percents: [(name: String, value: String)] {
        let sum = Swift.max(reduce(0) { $0 + $1.weight }, 1)
        return map { ($0.variation, Hundredths.text(($0.weight * 10_000 + sum / 2) / sum) + "%") }
    }

    /// Whether users are divided in the same way: weights are relative to each other.
    fileprivate func divides(as other: [SplitShare]) -> Bool {
        let shares = other.relativeWeights
        return count == other.count && relativeWeights.allSatisfy { shares[$0.key] == $0.value }
    }

    private var relativeWeights: [String: Double] {
        let sum = reduce(0) { $0 + Double($1.weight) }
        return Dictionary(map { ($0.variation, Double($0.weight) / sum) }) { first, _ in first }
    }
}

extension AuthoredExperiment.Kind {
    /// The word for a rule of this kind, as in project files.
    package var label: String {
        switch self {
        case .split: "experiment"
        case .bandit: "bandit"
        case .rollout: "rollout"
        }
    }

    fileprivate var words: String {
        switch self {
        case .split(type: .abTest), .split(type: .unspecified): "experiment"
        case .split(let type): "experiment of type \(type.rawValue)"
        case .bandit(let attributes): "bandit on \(attributes.joined(separator: ", "))"
        case .rollout: "rollout"
        }
    }
}

extension ExperimentMetric {
    /// Its name, or `purchase.revenue`, followed by the direction if less is better.
    package var text: String { name ?? definition }

    /// What it measures: `purchase.revenue (less is better) within 7 days, winsorised at 99.9%`.
    var definition: String {
        "\(event).\(aggregation.rawValue)" + (direction == .decrease ? " (less is better)" : "")
            + (windowText.map { " within \($0)" } ?? "")
            + (winsorising.map { ", winsorised at \(Hundredths.text($0))%" } ?? "")
    }

    /// `7 days`: the spelling of project files.
    var windowText: String? { windowDays.map { $0 == 1 ? "1 day" : "\($0) days" } }
}

extension ExperimentPlan {
    /// `40,000 visitors, 300 a day`.
    fileprivate var text: String { "\(visitors.grouped) visitors" + (perDay.map { ", \($0.grouped) a day" } ?? "") }
}

extension Int {
    /// A number of at least 0 with thousands separators: `40,000`.
    var grouped: String {
        self < 1_000 ? "\(self)" : "\((self / 1_000).grouped),\("\(1_000 + self % 1_000)".dropFirst())"
    }
}

extension AuthoredDelivery {
    fileprivate func details(comparedTo other: AuthoredDelivery) -> [String?] {
        [
            Detail.changed("serves", variation, other.variation),
            Detail.changed("traffic", traffic.percent, other.traffic.percent),
            Detail.turned(isEnabled, other.isEnabled),
        ] + Detail.condition("audience", audience, other.audience) + [
            variations == other.variations ? nil : "variations of its own changed",
            Detail.verbatim(verbatim, other.verbatim),
        ]
    }
}

extension AuthoredHoldout {
    /// The differences from another version of the holdout.
    func details(comparedTo other: AuthoredHoldout) -> [String?] {
        let list = { (texts: [String], all: String) in texts.isEmpty ? all : texts.joined(separator: ", ") }
        return [
            Detail.changed("status", status.spelling, other.status.spelling),
            Detail.changed("traffic", traffic.percent, other.traffic.percent),
            Detail.changed("rules", list(rules.map(\.name), "all flags"), list(other.rules.map(\.name), "all flags")),
            Detail.changed(
                "environments", list(environments, "all environments"), list(other.environments, "all environments")),
        ] + Detail.condition("audience", audience, other.audience)
            + split.details(comparedTo: other.split) + [
                variations == other.variations ? nil : "variations changed",
                Detail.verbatim(verbatim, other.verbatim),
            ]
    }
}
