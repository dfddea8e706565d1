/// Makes random projects that use everything a project file can say. The same seed makes the same project.
struct RandomProject {
    /// Whether parts carry members, and audiences conditions, that are written into the datafile as they are.
    var hasVerbatim = true
    private var random: SplitMix
    private var keyCount = 0
    private var attributes: [String] = []
    private var audiences: [String] = []
    private var events: [String] = []
    private var metrics: [ExperimentMetric] = []

    /// Creates a generator.
    init(seed: UInt64) { random = SplitMix(state: seed &* 0x9E37_79B9_7F4A_7C15) }

    /// The project of a seed.
    static func project(seed: UInt64, hasVerbatim: Bool = true) -> AuthoredProject {
        var generator = RandomProject(seed: seed)
        generator.hasVerbatim = hasVerbatim
        return generator.next()
    }

    /// The next project.
    mutating func next() -> AuthoredProject {
        var project = AuthoredProject(key: key("project"))
        project.settings = settings()
        project.environments = list(1...3) { $0.environment() }
        project.attributes = list(2...5) { $0.attribute() }
        if oneIn(3) { project.attributes[0].key = pick(["all", "any", "condition", "datafile", "description"]) }
        attributes = project.attributes.map(\.key)
        project.events = list(1...4) { $0.event() }
        events = project.events.map(\.key)
        project.metrics = list(0...3) { $0.namedMetric() }
        metrics = project.metrics.map(\.metric)
        audiences = []
        project.audiences = list(0...5) { random in
            let audience = random.audience()
            random.audiences.append(audience.key)
            return audience
        }
        let environments = project.environments.map(\.key)
        project.flags = list(0...4) { $0.flag(in: environments) }
        project.experiments = list(0...2) { $0.experimentWithoutFlag() }
        project.groups = groups(of: project)
        let rules = references(in: project, where: { _ in true })
        project.holdouts = list(0...2) { $0.holdout(in: environments, rules: rules) }
        project.ignoredFindings = ignoredFindings()
        project.verbatim = verbatim()
        project.configurations = oneIn(3) ? [configuration()] : []
        return project
    }

    // MARK: Project

    private mutating func settings() -> ProjectSettings {
        var settings = ProjectSettings()
        settings.account = oneIn(2) ? "0" : "12001"
        settings.region = pick([nil, .us, .eu])
        settings.anonymizesIP = !oneIn(3)
        settings.filtersBots = pick([nil, true, false])
        settings.sendsFlagDecisions = !oneIn(3)
        settings.segments = pick([
            nil, SegmentService(host: "https://segments.example.com", publicKey: "W4"),
            SegmentService(host: nil, publicKey: nil),
        ])
        settings.segments?.defined = list(0...2) { $0.segment() }
        return settings
    }

    private mutating func segment() -> AuthoredSegment {
        var segment = AuthoredSegment(key: key("segment"), members: pick([[], ["ada"], ["1", "null"]]))
        guard oneIn(2) else { return segment }
        segment.rule = SegmentRule(event: "shop/" + key("action"), times: int(1...3))
        segment.rule?.days = pick([nil, 30])
        segment.rule?.revenue = pick([nil, 1_000])
        return segment
    }

    private mutating func configuration() -> AuthoredConfiguration {
        var configuration = AuthoredConfiguration(key: pick(["app", "1", "a_b"]), experiments: configuredExperiments())
        if oneIn(2) { configuration.versions = [.init(key: pick(["1.2", "2"]), experiments: configuredExperiments())] }
        return configuration
    }

    private mutating func configuredExperiments() -> [AuthoredConfiguration.Experiment] {
        list(0...2) { random in
            let variants = random.list(1...3) { (key: $0.key("variant"), weight: $0.int(0...10_000)) }
            var experiment = AuthoredConfiguration.Experiment(key: random.key("experiment"), variants: variants)
            experiment.isSticky = random.oneIn(2)
            experiment.countries = random.pick([[], ["US", "CA"]])
            experiment.languages = random.pick([[], ["en"]])
            return experiment
        }
    }

    private mutating func environment() -> AuthoredEnvironment {
        var environment = AuthoredEnvironment(key: key("environment"), sdkKeys: list(0...3) { $0.key("sdk") })
        environment.formerKey = formerKey()
        return environment
    }

    private mutating func attribute() -> AuthoredAttribute {
        var attribute = AuthoredAttribute(key: key("attribute"))
        attribute.formerKey = formerKey()
        attribute.ignoredFindings = ignoredFindings()
        attribute.verbatim = verbatim()
        return attribute
    }

    private mutating func event() -> AuthoredEvent {
        var event = AuthoredEvent(key: key("event"))
        event.formerKey = formerKey()
        event.ignoredFindings = ignoredFindings()
        event.verbatim = verbatim()
        return event
    }

    private mutating func namedMetric() -> AuthoredMetric {
        var metric = metric()
        metric.windowDays = pick([nil, 1, 7])
        if metric.aggregation != .unique { metric.winsorising = pick([nil, 9_990, 9_900]) }
        var part = AuthoredMetric(key: key("metric"), metric)
        part.formerKey = formerKey()
        part.ignoredFindings = ignoredFindings()
        return part
    }

    private mutating func metric() -> ExperimentMetric {
        ExperimentMetric(
            event: pick(events), aggregation: pick(ExperimentMetric.Aggregation.allCases),
            direction: pick(ExperimentMetric.Direction.allCases))
    }

    private mutating func ignoredFindings() -> [IgnoredFinding] {
        pick([[], [], ["unused-audience"], ["one", "two"]])
    }

    // MARK: Audiences

    private mutating func audience() -> AuthoredAudience {
        var audience = AuthoredAudience(key: key("audience"), condition: condition(depth: 3))
        audience.formerKey = formerKey()
        audience.description = description()
        audience.ignoredFindings = ignoredFindings()
        audience.verbatim = verbatim()
        return audience
    }

    private mutating func condition(depth: Int) -> AuthoredCondition {
        switch depth == 0 ? 7 : int(0...10) {
        case 0: return .all(list(0...3) { $0.condition(depth: depth - 1) })
        case 1: return .any(list(0...3) { $0.condition(depth: depth - 1) })
        case 2: return .not(condition(depth: depth - 1))
        case 3 where !audiences.isEmpty: return .audience(pick(audiences), SourceOrigin())
        case 4: return .segment(key("segment"), SourceOrigin())
        case 5 where hasVerbatim: return .verbatim(verbatimCondition())
        case 6:
            let attribute = pick(attributes)
            return .any(list(1...3) { .attribute(AttributeTest(attribute, .exact, $0.scalar())) })
        case 8: return .all(list(0...3) { .attribute($0.test()) })
        default: return .attribute(test())
        }
    }

    private mutating func test() -> AttributeTest {
        let match = pick(AttributeTest.Match.allCases)
        let value: JSONValue? =
            switch match {
            case .exact: scalar()
            case .exists: nil
            case .substring: .string(text())
            case .greater, .greaterOrEqual, .less, .lessOrEqual: number()
            case .versionEqual, .versionGreater, .versionGreaterOrEqual, .versionLess, .versionLessOrEqual:
                .string(pick(["1", "2.0", "5.2.1", "3.0.0-beta.2", "4.1.0+build"]))
            }
        return AttributeTest(pick(attributes), match, value)
    }

    private mutating func scalar() -> JSONValue { pick([.string(text()), .string(text()), number(), .bool(oneIn(2))]) }

    private mutating func number() -> JSONValue {
        pick([.integer(Int64(int(-20...100))), .double(Double(int(-8...40)) / 4), .integer(1 << 53), .double(1e21)])
    }

    private mutating func verbatimCondition() -> JSONValue {
        let leaf = JSONValue.object([
            "type": .string("custom_attribute"), "name": .string(pick(attributes)), "match": .string("exact"),
            "value": scalar(),
        ])
        return pick([leaf, .array([.string("not"), leaf]), .array([.string("or"), leaf, leaf])])
    }

    // MARK: Flags

    private mutating func flag(in environments: [String]) -> AuthoredFlag {
        var flag = AuthoredFlag(key: key("flag"), formerKey: formerKey(), description: description())
        flag.variables = list(0...5) { $0.variable() }
        let variables = flag.variables
        flag.variations = list(0...3) { $0.variation(of: variables) }
        if oneIn(3) { flag.variations.append(variation(of: variables, key: AuthoredVariation.offKey)) }
        if oneIn(6) { flag.variations.append(variation(of: variables, key: pick(["null", "true", "~", "3", "off "]))) }
        flag.rules = rules(of: flag)
        for environment in environments where oneIn(3) {
            flag.rulesByEnvironment[environment] = oneIn(2) ? rules(of: flag) : changed(flag.rules, of: flag)
        }
        flag.ignoredFindings = ignoredFindings()
        flag.verbatim = verbatim()
        return flag
    }

    private mutating func variable() -> AuthoredVariable {
        let type = pick(AuthoredVariable.ValueType.allCases)
        var variable = AuthoredVariable(key: key("variable"), type: type, defaultValue: value(type))
        variable.formerKey = formerKey()
        variable.description = description()
        variable.verbatim = verbatim()
        return variable
    }

    private mutating func value(_ type: AuthoredVariable.ValueType) -> String {
        switch type {
        case .string: text()
        case .integer: pick(["0", "3", "-12", "9223372036854775807"])
        case .double: pick(["0.5", "1e3", "-2.50", "7", "9223372036854775808"])
        case .boolean: pick(["true", "false"])
        case .json:
            pick([
                "{}", #"{"dark":false}"#, #"{"type":"a","size":[1,2.50,null]}"#, #"{"default":{}}"#,
                #"{"z":1,"a":"é\n","true":"true"}"#, #"{ "spaced": 1 }"#, #"{"twice":1,"twice":2}"#,
            ])
        }
    }

    private mutating func variation(of variables: [AuthoredVariable], key: String? = nil) -> AuthoredVariation {
        var variation = AuthoredVariation(key: key ?? self.key("variation"), formerKey: formerKey())
        variation.isEnabled = pick([true, true, false, nil])
        variation.overrides = variables.shuffled(using: &random).compactMap { variable in
            oneIn(2) ? AuthoredOverride(variable.key, value(variable.type)) : nil
        }
        variation.verbatim = verbatim()
        return variation
    }

    // MARK: Rules

    private mutating func rules(of flag: AuthoredFlag) -> AuthoredRules {
        var rules = AuthoredRules()
        rules.isEnabled = !oneIn(5)
        rules.experiments = list(0...2) { $0.experiment(of: flag) }
        rules.deliveries = list(0...2) { $0.delivery(of: flag) }
        rules.everyoneElse = everyoneElse(of: flag)
        rules.verbatim = verbatim()
        return rules
    }

    /// The rules with the same keys in another environment.
    private mutating func changed(_ rules: AuthoredRules, of flag: AuthoredFlag) -> AuthoredRules {
        var rules = rules
        for index in rules.experiments.indices { rules.experiments[index].traffic = share() }
        rules.deliveries.shuffle(using: &random)
        if oneIn(2) { rules.everyoneElse = everyoneElse(of: flag) }
        return rules
    }

    private mutating func everyoneElse(of flag: AuthoredFlag) -> EveryoneElse? {
        guard !oneIn(6) else { return nil }
        var everyoneElse = EveryoneElse()
        if oneIn(2) { everyoneElse.variation = pick(flag.variations.map(\.key) + [AuthoredVariation.offKey]) }
        everyoneElse.verbatim = verbatim()
        return everyoneElse
    }

    private mutating func delivery(of flag: AuthoredFlag) -> AuthoredDelivery {
        let own = ownVariations(of: flag)
        var delivery = AuthoredDelivery(key: key("delivery"), variation: pick(variationKeys(flag.variations + own)))
        delivery.formerKey = formerKey()
        delivery.audience = oneIn(2) ? condition(depth: 2) : nil
        delivery.traffic = share()
        delivery.isEnabled = !oneIn(5)
        delivery.variations = own
        delivery.ignoredFindings = ignoredFindings()
        delivery.verbatim = verbatim()
        return delivery
    }

    private mutating func experiment(of flag: AuthoredFlag) -> AuthoredExperiment {
        let own = ownVariations(of: flag)
        var experiment = experiment(among: variationKeys(flag.variations + own))
        experiment.variations = own
        return experiment
    }

    private mutating func experimentWithoutFlag() -> AuthoredExperiment {
        let own = list(1...3) { $0.variation(of: []) }
        var experiment = experiment(among: own.map(\.key))
        experiment.variations = own
        return experiment
    }

    /// Variations of a rule alone, which are new or replace one of the flag's.
    private mutating func ownVariations(of flag: AuthoredFlag) -> [AuthoredVariation] {
        guard oneIn(4) else { return [] }
        let replaced = flag.variations.first.map { variation(of: flag.variables, key: $0.key) }
        return [replaced, variation(of: flag.variables)].compactMap(\.self)
    }

    private func variationKeys(_ variations: [AuthoredVariation]) -> [String] {
        var keys = variations.map(\.key)
        if !keys.contains(AuthoredVariation.offKey) { keys.append(AuthoredVariation.offKey) }
        return keys.enumerated().filter { keys.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }

    private mutating func experiment(among variations: [String]) -> AuthoredExperiment {
        var experiment = AuthoredExperiment(key: key("experiment"))
        experiment.formerKey = formerKey()
        experiment.kind = kind()
        experiment.status = pick([.running, .running, .running, .paused, .notStarted, .launched, .archived])
        experiment.audience = oneIn(2) ? condition(depth: 2) : nil
        experiment.traffic = share()
        experiment.split = split(among: variations, kind: experiment.kind)
        experiment.allowList = allowList(among: variations)
        experiment.metrics = list(0...3) { random in
            random.metrics.isEmpty || random.oneIn(2) ? random.metric() : random.pick(random.metrics)
        }
        switch experiment.kind {
        // A bandit does not learn from means over events.
        case .bandit: experiment.metrics.removeAll { $0.aggregation.isPerConversion }
        case .split:
            experiment.plan = pick([nil, nil, ExperimentPlan(visitors: int(1...99_999), perDay: pick([nil, 300]))])
        case .rollout: break
        }
        experiment.ignoredFindings = ignoredFindings()
        experiment.verbatim = verbatim()
        return experiment
    }

    private mutating func kind() -> AuthoredExperiment.Kind {
        switch int(0...7) {
        case 0: .bandit(attributes: attributes.shuffled(using: &random).filter { _ in oneIn(2) })
        case 1: .rollout
        case 2:
            .split(
                type: pick([.multiArmedBandit, .unspecified, .featureRollout, .targetedDelivery, .contextualBandit]))
        default: .split(type: .abTest)
        }
    }

    private mutating func split(among variations: [String], kind: AuthoredExperiment.Kind) -> [SplitShare] {
        let chosen = variations.shuffled(using: &random).prefix(int(1...3))
        switch kind {
        case .bandit: return chosen.map { SplitShare($0, weight: 100) }
        case .rollout: return chosen.prefix(1).map { SplitShare($0, weight: 100) }
        case .split:
            guard !oneIn(20) else { return [] }
            let shares = chosen.map { SplitShare($0, weight: pick([100, 0, 5_000, 2_500, 3_333, 7, 120])) }
            return shares.allSatisfy { $0.weight == 0 } ? shares.map { SplitShare($0.variation, weight: 100) } : shares
        }
    }

    private mutating func allowList(among variations: [String]) -> [AllowListEntry] {
        guard oneIn(3) else { return [] }
        return variations.prefix(2).map { variation in
            AllowListEntry(variation, userIDs: list(0...2) { $0.key("user") })
        }
    }

    private mutating func share() -> TrafficShare {
        TrafficShare(buckets: pick([10_000, 10_000, 0, 1, 50, 1_250, 5_000, 9_999, int(0...10_000)]))
    }

    // MARK: Groups and holdouts

    private mutating func groups(of project: AuthoredProject) -> [AuthoredGroup] {
        let experiments = Set(
            project.flags.flatMap { flag in
                flag.allRules.flatMap(\.experiments).map { RuleReference(flag: flag.key, rule: $0.key) }
            } + project.experiments.map { RuleReference(flag: nil, rule: $0.key) })
        var free = references(in: project, where: experiments.contains).shuffled(using: &random)
        return list(0...2) { random in
            var rest = 10_000
            var group = AuthoredGroup(key: random.key("group"), members: [])
            group.formerKey = random.formerKey()
            group.isExclusive = !random.oneIn(4)
            for _ in 0..<random.int(0...3) {
                guard let experiment = free.popLast() else { break }
                let buckets = random.int(0...rest)
                rest -= buckets
                group.members.append(GroupMember(experiment, traffic: TrafficShare(buckets: buckets)))
            }
            group.ignoredFindings = random.ignoredFindings()
            group.verbatim = random.verbatim()
            return group
        }
    }

    /// The rules of a project, each once, in the order of the file.
    private func references(in project: AuthoredProject, where include: (RuleReference) -> Bool) -> [RuleReference] {
        var references: [RuleReference] = []
        for flag in project.flags {
            for rules in flag.allRules {
                let keys = rules.experiments.map(\.key) + rules.deliveries.map(\.key)
                references += keys.map { RuleReference(flag: flag.key, rule: $0) }
            }
        }
        references += project.experiments.map { RuleReference(flag: nil, rule: $0.key) }
        var known: Set<RuleReference> = []
        return references.filter { known.insert($0).inserted && include($0) }
    }

    private mutating func holdout(in environments: [String], rules: [RuleReference]) -> AuthoredHoldout {
        var holdout = AuthoredHoldout(key: key("holdout"), traffic: share())
        holdout.formerKey = formerKey()
        holdout.status = pick([.running, .running, .draft, .concluded, .archived])
        holdout.audience = oneIn(3) ? condition(depth: 2) : nil
        if oneIn(3) {
            holdout.variations = list(1...2) { $0.variation(of: []) }
            holdout.split = split(among: holdout.variations.map(\.key), kind: .split(type: .unspecified))
        }
        if oneIn(2) { holdout.rules = Array(rules.shuffled(using: &random).prefix(int(0...3))) }
        if oneIn(3) { holdout.environments = Array(environments.shuffled(using: &random).prefix(2)) }
        holdout.ignoredFindings = ignoredFindings()
        holdout.verbatim = verbatim()
        return holdout
    }

    // MARK: Names and values

    /// A key that no other part has; sometimes one that YAML or the project file gives a meaning.
    private mutating func key(_ kind: String) -> String {
        keyCount += 1
        guard oneIn(8) else { return "\(kind)_\(keyCount)" }
        let unusual = ["null", "true", "3", "all", "datafile", "type", "condition", "a b", "é: #", "x/y", "v.1", "~"]
        return pick(unusual.map { $0 + "\(keyCount)" } + [String(keyCount), "\(keyCount).5", "- \(keyCount)"])
    }

    private mutating func formerKey() -> String? { oneIn(6) ? key("former") : nil }

    private mutating func description() -> String? { oneIn(3) ? text() : nil }

    private mutating func text() -> String {
        pick([
            "premium", "Pay now", "", "true", "off", "null", "~", "3", "0.5", "1e400", "50%", "x: y", "- a", "#1", "é",
            "two\nlines", " spaced ", "\"quoted\"", "\u{1F600}", "[a]", "{a: b}", "yes", "2026-01-01", "&a", "*a",
        ])
    }

    private mutating func verbatim() -> [String: JSONValue] {
        guard hasVerbatim, oneIn(8) else { return [:] }
        return [
            "extension": pick([.null, .string(text()), .integer(3), .array([.bool(true), .double(0.5)])]),
            key("member"): .object(["nested": .string(text())]),
        ]
    }

    private mutating func oneIn(_ count: Int) -> Bool { int(0...count - 1) == 0 }

    private mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[int(0...elements.count - 1)] }

    private mutating func list<Element>(
        _ count: ClosedRange<Int>, _ make: (inout RandomProject) -> Element
    ) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<int(count) { elements.append(make(&self)) }
        return elements
    }
}

extension AuthoredFlag {
    /// The rules of all environments, then those of single ones.
    var allRules: [AuthoredRules] { [rules] + rulesByEnvironment.sorted { $0.key < $1.key }.map(\.value) }
}
