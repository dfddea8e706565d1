import TurnoutEngine

/// Translates features of GrowthBook.
struct GrowthBookReader {
    /// The attribute that holds the ids of users. Rules that divide users by another one have no translation.
    private let userID: String
    private let savedGroups: Node?

    /// Creates a reader. The attribute that most rules of the features divide users by is their id.
    init(_ features: [Node.Member], savedGroups: Node?) {
        self.savedGroups = savedGroups
        var counts: [String: Int] = ["id": 0]
        for rule in features.flatMap({ $0.value["rules"]?.elements ?? [] }) where Self.divides(rule) {
            counts[rule["hashAttribute"]?.text ?? "id", default: 0] += 1
        }
        let most = counts.values.max() ?? 0
        userID = counts["id"] == most ? "id" : counts.filter { $0.value == most }.keys.min() ?? "id"
    }

    /// A note for programs if users are not divided by `id`.
    var noteOnUserIDs: Diagnostic? {
        guard userID != "id" else { return nil }
        return Diagnostic(
            .warning, "works-differently",
            "percentages are by the attribute \(quoted(userID)), so programs must use it as the id of the user")
    }

    /// The features of a file: an answer of the API, or the features alone; nil if there are none.
    static func features(in root: Node) -> [Node.Member]? {
        if let features = root["features"], features.isMapping { return features.members }
        let isFeatures = root.members.contains { $0.value["defaultValue"] != nil || $0.value["rules"] != nil }
        return isFeatures ? root.members.filter { $0.key.text != "$schema" } : nil
    }

    private static func divides(_ rule: Node) -> Bool {
        rule["variations"] != nil || rule["coverage"] != nil || rule["range"] != nil
    }

    /// Whether a rule serves something, or can end the feature for its users.
    private static func hasEffect(_ rule: Node) -> Bool {
        rule.members.contains { $0.key.text == "force" } || rule["variations"] != nil || isGate(rule)
    }

    /// Whether the rule turns the feature off for users that do not meet a condition on another feature.
    private static func isGate(_ rule: Node) -> Bool {
        rule["parentConditions"]?.elements.contains { $0["gate"]?.isTrue == true } == true
    }

    /// Translates a feature; nil if its values have no translation.
    func read(_ member: Node.Member, _ project: inout ForeignProject) -> ForeignFlag? {
        let node = member.value
        let rules = project.elements(of: "rules", in: node)
        let values = GrowthBookValues(node["defaultValue"], rules)
        guard let variations = ForeignVariations(values.named) else {
            project.reportUntranslatable("its values are not of one type that variables have", at: node)
            return nil
        }
        let fallback = node["defaultValue"].flatMap { values.name(of: $0) }.flatMap { variations[$0] }
        var flag = ForeignFlag(member, variations, fallback: fallback.map { ForeignOutcome($0) })
        if fallback == nil {
            project.differ("it has no default value, so programs use their own default; here it is off", at: node)
        }
        project.omitMembers(of: node, except: ["defaultValue", "rules"])
        var rollouts = GrowthBookRollouts()
        for (index, rule) in rules.enumerated() {
            project.begin("rule \(index + 1)", of: member)
            if flag.isComplete {
                project.omitUnreachableRule(at: rule)
            } else {
                add(rule, as: "rule\(index + 1)", to: &flag, values, &rollouts, &project)
            }
        }
        return flag
    }

    private func add(
        _ rule: Node, as name: String, to flag: inout ForeignFlag, _ values: GrowthBookValues,
        _ rollouts: inout GrowthBookRollouts, _ project: inout ForeignProject
    ) {
        let isKnown = Self.isKnown(rule, &project)
        guard Self.hasEffect(rule) || !isKnown else { return project.reportIgnored("it serves no value", at: rule) }
        var condition = condition(of: rule, &project)
        var outcome = isKnown && !Self.isGate(rule) ? outcome(rule, values, flag.variations, &project) : nil
        if let found = outcome { outcome = inNamespace(rule, found, &project) }
        if let outcome {
            if outcome.share.buckets == 0 { project.reportIgnored("it is for no users", at: rule) }
            let (independent, isOther) = rollouts.add(rule, flag.key, condition, outcome)
            condition = independent
            if isOther { project.reportUntranslatable("an earlier rule splits users by the same hash", at: rule) }
        }
        flag.add(outcome, to: project.checked(condition, at: rule), as: name, at: rule)
    }

    private func condition(of rule: Node, _ project: inout ForeignProject) -> ForeignCondition {
        var conditions = GrowthBookConditionReader(savedGroups: savedGroups)
        let condition = rule["condition"].map { conditions.condition($0) } ?? .constant(true)
        project.reportUntranslatable(conditions.problems)
        return prerequisites(rule, condition, &project)
    }

    /// The condition with that of other features, which have no translation. A gate ends the feature for its users.
    private func prerequisites(
        _ rule: Node, _ condition: ForeignCondition, _ project: inout ForeignProject
    ) -> ForeignCondition {
        guard let parents = rule["parentConditions"], !parents.isSequence || !parents.elements.isEmpty else {
            return condition
        }
        project.reportUntranslatable("it depends on another feature", at: parents.elements.first ?? parents)
        return Self.isGate(rule) ? .untranslatable : .all([condition, .untranslatable])
    }

    // MARK: Outcomes

    /// The outcome of a rule; nil if that has no translation, which is noted.
    private func outcome(
        _ rule: Node, _ values: GrowthBookValues, _ variations: ForeignVariations, _ project: inout ForeignProject
    ) -> ForeignOutcome? {
        func fail(_ reason: String, _ node: Node) -> ForeignOutcome? {
            project.reportUntranslatable(reason, at: node)
            return nil
        }
        // Programs use their own default for null.
        func variation(_ node: Node) -> String? {
            node.isNothing ? AuthoredVariation.offKey : values.name(of: node).flatMap { variations[$0] }
        }
        let force = rule.members.first { $0.key.text == "force" }?.value
        let variations = rule["variations"]?.elements ?? []
        if force == nil, variations.count < 2 { return ForeignOutcome([(AuthoredVariation.offKey, 1)], traffic: 0) }
        if force != nil, let filters = rule["filters"] { return fail("it is for a part of a namespace", filters) }
        if let problem = division(in: rule) { return fail(problem.reason, problem.node) }
        if let coverage = rule["coverage"], coverage.number == nil {
            return fail("its coverage is not a number", coverage)
        }
        let coverage = min(max(rule["coverage"]?.number ?? 1, 0), 1)
        if let force {
            guard let variation = variation(force) else { return fail("its value has no translation", force) }
            let range = rule["range"]?.elements.compactMap(\.number)
            return ForeignOutcome([(variation, 1)], traffic: range.map(Self.width) ?? coverage)
        }
        if let meta = rule["meta"], meta.elements.contains(where: { $0["passthrough"]?.isTrue == true }) {
            return fail("users of a variation continue with later rules", meta)
        }
        let keys = variations.compactMap(variation)
        guard keys.count == variations.count else { return fail("a value has no translation", rule) }
        if let ranges = rule["ranges"]?.elements {
            let widths = ranges.map { Self.width($0.elements.compactMap(\.number)) }
            guard widths.count == keys.count else { return fail("it does not have one range per variation", rule) }
            return ForeignOutcome(Array(zip(keys, widths)), traffic: min(widths.reduce(0, +), 1))
                ?? ForeignOutcome([(keys[0], 1)], traffic: 0)
        }
        let weights = Self.weights(rule["weights"]?.elements.map { $0.number ?? -1 }, count: keys.count)
        return ForeignOutcome(Array(zip(keys, weights)), traffic: min(weights.reduce(0, +), 1) * coverage)
    }

    /// Why the division of users by a rule has no translation; nil if it has one, or if the rule divides none.
    private func division(in rule: Node) -> (reason: String, node: Node)? {
        guard Self.divides(rule) else { return nil }
        guard let attribute = rule["hashAttribute"] else {
            return userID == "id" ? nil : ("it splits users by \"id\", not by \(quoted(userID))", rule)
        }
        guard attribute.text != userID else { return nil }
        return ("it splits users by an attribute other than \(quoted(userID))", attribute)
    }

    /// The outcome of an experiment for the part of a namespace that it has, if any; nil if that has no translation.
    private func inNamespace(
        _ rule: Node, _ outcome: ForeignOutcome, _ project: inout ForeignProject
    ) -> ForeignOutcome? {
        let isForced = rule.members.contains { $0.key.text == "force" }
        guard !isForced, outcome.traffic > 0, let node = rule["filters"] ?? rule["namespace"] else { return outcome }
        guard let part = GrowthBookNamespace(rule, userID: userID) else {
            project.reportUntranslatable(
                "its namespace does not split users by \(quoted(userID)), or has an unsupported form", at: node)
            return nil
        }
        guard let share = project.namespaces.claim(part) else {
            project.reportUntranslatable(
                "its part of the namespace \(quoted(part.name)) overlaps with that of another experiment", at: node)
            return nil
        }
        var outcome = outcome
        if share.traffic.buckets == 0 { outcome.traffic = 0 } else { outcome.groupShare = share }
        return outcome
    }

    /// The weights of variations: equal ones if they are missing, invalid, or not 1 in sum.
    private static func weights(_ weights: [Double]?, count: Int) -> [Double] {
        guard let weights, weights.count == count, weights.allSatisfy({ $0 >= 0 }),
            (0.99...1.01).contains(weights.reduce(0, +))
        else { return Array(repeating: 1 / Double(count), count: count) }
        return weights
    }

    private static func width(_ range: [Double]) -> Double {
        range.count == 2 ? max(min(range[1], 1) - max(range[0], 0), 0) : 0
    }
}

/// The rules of a feature that divide users. Rules with the same hash divide them alike.
private struct GrowthBookRollouts {
    private var partial: [(hash: [String], condition: ForeignCondition)] = []

    /// Adds a rule, without the users that an earlier rule has divided by the same hash: among the remaining users, the
    /// shares of the rule would differ from those in the file.
    mutating func add(
        _ rule: Node, _ feature: String, _ condition: ForeignCondition, _ outcome: ForeignOutcome
    ) -> (condition: ForeignCondition, isOther: Bool) {
        guard outcome.traffic < 1 || outcome.single == nil else { return (condition, false) }
        let key = rule["variations"] == nil ? nil : rule["key"]?.text
        let hash = [rule["seed"]?.text ?? key ?? feature, rule["hashVersion"]?.text ?? "1"]
        let earlier = partial.filter { $0.hash == hash && !$0.condition.excludes(condition) }.map(\.condition)
        if outcome.traffic < 1, outcome.traffic > 0 { partial.append((hash, condition)) }
        guard !earlier.isEmpty, outcome.traffic > 0 else { return (condition, false) }
        return (.all([condition, .any([.not(.any(earlier)), .untranslatable])]), true)
    }
}
