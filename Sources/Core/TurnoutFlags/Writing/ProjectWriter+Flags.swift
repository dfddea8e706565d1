import TurnoutEngine

extension ProjectWriter {
    /// A flag. Its environments are in the order of the project.
    package static func flag(_ flag: AuthoredFlag, environments: [String]) -> Node {
        var mapping = Mapping(.flag)
        mapping["description"] = flag.description.map(Node.name)
        mapping["variables"] = .nonEmpty(flag.variables.map { ($0.key, variable($0)) })
        let types = Dictionary(flag.variables.map { ($0.key, $0.type) }) { first, _ in first }
        mapping["variations"] = .nonEmpty(variations(flag.variations, types))
        write(flag.rules, types, inherited: AuthoredRules(), to: &mapping)
        let others = flag.rulesByEnvironment.keys.filter { !environments.contains($0) }.sorted()
        mapping["in"] = .nonEmpty(
            (environments + others).compactMap { environment in
                flag.rulesByEnvironment[environment].map { rules in
                    var mapping = Mapping(.flagInEnvironment)
                    write(rules, types, inherited: flag.rules, to: &mapping)
                    return (environment, mapping.node)
                }
            })
        mapping.addCommonMembers(of: flag)
        return mapping.node
    }

    // MARK: Variables and variations

    typealias VariableTypes = [String: AuthoredVariable.ValueType]

    private static func variable(_ variable: AuthoredVariable) -> Node {
        var mapping = Mapping(.variable)
        mapping["description"] = variable.description.map(Node.name)
        mapping["was"] = variable.formerKey.map(Node.name)
        mapping["datafile"] = .verbatim(variable.verbatim)
        let value = variable.type.node(of: variable.defaultValue)
        let isDerived =
            AuthoredVariable.ValueType(of: value) == variable.type && !ProjectReader.isLongForm(value)
        if mapping.isEmpty, isDerived { return value }
        if !isDerived { mapping["type"] = .name(variable.type.rawValue) }
        mapping["default"] = value
        return mapping.node
    }

    static func variations(
        _ variations: [AuthoredVariation], _ types: VariableTypes = [:]
    ) -> [(key: String, value: Node)] {
        variations.map { ($0.key, variation($0, types)) }
    }

    private static func variation(_ variation: AuthoredVariation, _ types: VariableTypes) -> Node {
        var mapping = Mapping(.variation)
        if variation.isEnabled != (variation.key != AuthoredVariation.offKey) {
            mapping["enabled"] = variation.isEnabled.map(Node.boolean) ?? .plain("null")
        }
        mapping["variables"] = .nonEmpty(
            variation.overrides.map { ($0.variable, (types[$0.variable] ?? .string).node(of: $0.value)) })
        mapping["was"] = variation.formerKey.map(Node.name)
        mapping["datafile"] = .verbatim(variation.verbatim)
        return mapping.node
    }

    // MARK: Rules

    /// Writes what differs from the inherited rules.
    private static func write(
        _ rules: AuthoredRules, _ types: VariableTypes, inherited: AuthoredRules, to mapping: inout Mapping
    ) {
        if rules.experiments != inherited.experiments || rules.deliveries != inherited.deliveries {
            let experiments = rules.experiments.map { experiment($0, types) }
            mapping["rules"] = Node(.sequence(experiments + rules.deliveries.map { delivery($0, types) }))
        }
        if rules.everyoneElse != inherited.everyoneElse {
            mapping["else"] = rules.everyoneElse.map(everyoneElse) ?? .plain("null")
        }
        if rules.isEnabled != inherited.isEnabled { mapping["enabled"] = .boolean(rules.isEnabled) }
        if rules.verbatim != inherited.verbatim {
            var deliveries = Mapping(.deliveries)
            deliveries["datafile"] = Node(.object(rules.verbatim))
            mapping["rollout"] = deliveries.node
        }
    }

    private static func everyoneElse(_ rule: EveryoneElse) -> Node {
        guard !rule.verbatim.isEmpty else { return .name(rule.variation) }
        var mapping = Mapping(.everyoneElse)
        mapping["serve"] = .name(rule.variation)
        mapping["datafile"] = .verbatim(rule.verbatim)
        return mapping.node
    }

    private static func delivery(_ delivery: AuthoredDelivery, _ types: VariableTypes) -> Node {
        var mapping = Mapping(.delivery)
        mapping["delivery"] = .name(delivery.key)
        mapping["serve"] = .name(delivery.variation)
        mapping["audience"] = delivery.audience.map(condition)
        if delivery.traffic != .all { mapping["traffic"] = .share(delivery.traffic) }
        if !delivery.isEnabled { mapping["enabled"] = .boolean(false) }
        mapping["variations"] = .nonEmpty(variations(delivery.variations, types))
        mapping.addCommonMembers(of: delivery)
        return mapping.node
    }

    // MARK: Experiments

    /// An experiment of a flag, which is named by its kind.
    private static func experiment(_ experiment: AuthoredExperiment, _ types: VariableTypes) -> Node {
        var mapping: Mapping
        switch experiment.kind {
        case .split:
            mapping = Mapping(.experiment)
            mapping["experiment"] = .name(experiment.key)
            if experiment.kind != .split(type: .abTest) { mapping["type"] = .name(experiment.kind.spelling) }
        case .bandit(let attributes):
            mapping = Mapping(.bandit)
            mapping["bandit"] = .name(experiment.key)
            mapping["attributes"] = .names(attributes)
        case .rollout:
            mapping = Mapping(.rollout)
            mapping["rollout"] = .name(experiment.key)
        }
        write(experiment, types, to: &mapping)
        return mapping.node
    }

    /// An experiment without a flag, whose `type` names its kind.
    static func experimentWithoutFlag(_ experiment: AuthoredExperiment) -> Node {
        var mapping = Mapping(.experimentWithoutFlag)
        if experiment.kind != .split(type: .abTest) { mapping["type"] = .name(experiment.kind.spelling) }
        if case .bandit(let attributes) = experiment.kind { mapping["attributes"] = .names(attributes) }
        write(experiment, [:], to: &mapping)
        return mapping.node
    }

    private static func write(_ experiment: AuthoredExperiment, _ types: VariableTypes, to mapping: inout Mapping) {
        mapping["audience"] = experiment.audience.map(condition)
        if experiment.traffic != .all { mapping["traffic"] = .share(experiment.traffic) }
        let isBandit = if case .bandit = experiment.kind { true } else { false }
        mapping["split"] = split(experiment.split, isList: isBandit)
        mapping["plan"] = experiment.plan.map(plan)
        if !experiment.metrics.isEmpty { mapping["metrics"] = Node(.sequence(experiment.metrics.map(metric))) }
        mapping["allow_list"] = .nonEmpty(
            experiment.allowList.map { ($0.variation, Node(.sequence($0.userIDs.map(Node.name)))) })
        if experiment.status != .running { mapping["status"] = .name(experiment.status.spelling) }
        mapping["variations"] = .nonEmpty(variations(experiment.variations, types))
        mapping.addCommonMembers(of: experiment)
    }

    static func split(_ shares: [SplitShare], isList: Bool) -> Node {
        isList
            ? Node(.sequence(shares.map { .name($0.variation) }))
            : .mapping(shares.map { ($0.variation, .plain($0.weightText)) })
    }

    static func namedMetric(_ part: AuthoredMetric) -> Node {
        let metric = part.metric
        var mapping = Mapping(.namedMetric)
        mapping["event"] = .name(metric.event)
        mapping["count"] = .name(metric.aggregation.rawValue)
        if metric.direction != .increase { mapping["direction"] = .name(metric.direction.rawValue) }
        mapping["window"] = metric.windowText.map(Node.name)
        mapping["winsorise"] = metric.winsorising.map { .plain(Hundredths.text($0)) }
        mapping["was"] = part.formerKey.map(Node.name)
        mapping["ignore"] = .names(part.ignoredFindings.map(\.code))
        return mapping.node
    }

    private static func plan(_ plan: ExperimentPlan) -> Node {
        var mapping = Mapping(.plan)
        mapping["visitors"] = .plain("\(plan.visitors)")
        mapping["per_day"] = plan.perDay.map { .plain("\($0)") }
        return mapping.node
    }

    private static func metric(_ metric: ExperimentMetric) -> Node {
        let name = Node.name(metric.spelling)
        guard metric.name == nil, metric.direction != .increase else { return name }
        var mapping = Mapping(.metric)
        mapping["metric"] = name
        mapping["direction"] = .name(metric.direction.rawValue)
        return mapping.node
    }
}

extension AuthoredVariable.ValueType {
    /// The node that is read as a value. Values that are not of this type become strings.
    func node(of value: String) -> Node {
        switch self {
        case .string: return .name(value)
        case .integer, .double, .boolean:
            return accepts(value) ? .plain(value) : Node(.scalar(value, isQuoted: true))
        case .json:
            // Another spelling than the compact one is kept as a text.
            guard let node = Node(objectText: value), node.compactJSON == value else {
                return Node(.scalar(value, isQuoted: true))
            }
            return node
        }
    }
}
