import TurnoutEngine

/// Writes an authored project as the nodes of a project file, in the shortest form.
///
/// ``ProjectReader`` reads an equal project from them, if the project is one that it accepts: references name
/// something, and values have the types of their variables.
package enum ProjectWriter {
    /// The root of the project file.
    package static func node(of project: AuthoredProject) -> Node {
        var mapping = Mapping(.project)
        mapping["project"] = .name(project.key)
        if project.settings.account != "0" { mapping["account"] = .name(project.settings.account) }
        mapping["settings"] = settings(project.settings)
        mapping["segments"] = project.settings.segments.map(segments)
        mapping["environments"] = .mapping(project.environments.map { ($0.key, environment($0)) })
        mapping["attributes"] = keys(project.attributes, .attribute)
        mapping["events"] = keys(project.events, .event)
        mapping["metrics"] = .nonEmpty(project.metrics.map { ($0.key, namedMetric($0)) })
        mapping["audiences"] = .nonEmpty(project.audiences.map { ($0.key, audience($0)) })
        let environments = project.environments.map(\.key)
        mapping["flags"] = .nonEmpty(project.flags.map { ($0.key, flag($0, environments: environments)) })
        mapping["experiments"] = .nonEmpty(project.experiments.map { ($0.key, experimentWithoutFlag($0)) })
        mapping["groups"] = .nonEmpty(project.groups.map { ($0.key, group($0)) })
        mapping["holdouts"] = .nonEmpty(project.holdouts.map { ($0.key, holdout($0)) })
        mapping["configurations"] = configurations(project.configurations)
        mapping["ignore"] = .names(project.ignoredFindings.map(\.code))
        mapping["datafile"] = .verbatim(project.verbatim)
        return mapping.node
    }

    private static func settings(_ settings: ProjectSettings) -> Node? {
        var mapping = Mapping(.settings)
        mapping["region"] = settings.region.map { .name($0.rawValue) }
        if !settings.anonymizesIP { mapping["anonymize_ip"] = .boolean(false) }
        mapping["filter_bots"] = settings.filtersBots.map(Node.boolean)
        if !settings.sendsFlagDecisions { mapping["send_flag_decisions"] = .boolean(false) }
        return mapping.isEmpty ? nil : mapping.node
    }

    private static func segments(_ service: SegmentService) -> Node {
        var mapping = Mapping(.segments)
        mapping["host"] = service.host.map(Node.name)
        mapping["public_key"] = service.publicKey.map(Node.name)
        mapping["define"] = .nonEmpty(service.defined.map { ($0.key, segment($0)) })
        return mapping.node
    }

    private static func segment(_ segment: AuthoredSegment) -> Node {
        var mapping = Mapping(.segment)
        mapping["members"] = .names(segment.members)
        mapping["rule"] = segment.rule.map { rule in
            var mapping = Mapping(.segmentRule)
            mapping["event"] = .name(rule.event)
            mapping["days"] = rule.days.map { .plain("\($0)") }
            mapping["times"] = rule.times == 1 ? nil : .plain("\(rule.times)")
            mapping["revenue"] = rule.revenue.map { .plain("\($0)") }
            return mapping.node
        }
        return mapping.node
    }

    private static func environment(_ environment: AuthoredEnvironment) -> Node {
        var mapping = Mapping(.environment)
        let keys = environment.sdkKeys
        mapping["was"] = environment.formerKey.map(Node.name)
        if keys.count == 1 { mapping["sdk_key"] = .name(keys[0]) } else { mapping["sdk_keys"] = .names(keys) }
        return mapping.node
    }

    /// Attributes or events: a list, or a mapping if one of them is more than its key.
    private static func keys(_ parts: [some AuthoredPart], _ kind: ProjectPart) -> Node? {
        let mappings = parts.map { part in
            var mapping = Mapping(kind)
            mapping.addCommonMembers(of: part)
            return mapping
        }
        if mappings.allSatisfy(\.isEmpty) { return .names(parts.map(\.key)) }
        return .mapping(zip(parts, mappings).map { ($0.key, $1.node) })
    }

    private static func audience(_ audience: AuthoredAudience) -> Node {
        var mapping = Mapping(.audience)
        mapping["description"] = audience.description.map(Node.name)
        mapping.addCommonMembers(of: audience)
        if mapping.isEmpty { return condition(audience.condition) }
        mapping["condition"] = condition(audience.condition)
        return mapping.node
    }

    // MARK: Groups and holdouts

    private static func group(_ group: AuthoredGroup) -> Node {
        var mapping = Mapping(.group)
        mapping["traffic"] = .mapping(group.members.map { ($0.experiment.name, .share($0.traffic)) })
        if !group.isExclusive { mapping["exclusive"] = .boolean(false) }
        mapping.addCommonMembers(of: group)
        return mapping.node
    }

    private static func holdout(_ holdout: AuthoredHoldout) -> Node {
        var mapping = Mapping(.holdout)
        mapping["traffic"] = .share(holdout.traffic)
        mapping["audience"] = holdout.audience.map(condition)
        if holdout.status != .running { mapping["status"] = .name(holdout.status.spelling) }
        mapping["rules"] = .names(holdout.rules.map(\.name))
        mapping["environments"] = .names(holdout.environments)
        let standard = AuthoredHoldout(key: holdout.key, traffic: holdout.traffic)
        let hasVariations = holdout.variations != standard.variations
        if hasVariations { mapping["variations"] = .mapping(variations(holdout.variations)) }
        if hasVariations || holdout.split != standard.split {
            mapping["split"] = split(holdout.split, isList: false)
        }
        mapping.addCommonMembers(of: holdout)
        return mapping.node
    }

    /// The configurations for RolloutManager; nil if there are none.
    static func configurations(_ configurations: [AuthoredConfiguration]) -> Node? {
        .nonEmpty(
            configurations.map { configuration in
                var mapping = Mapping(.configuration)
                mapping["experiments"] = experiments(configuration.experiments)
                mapping["versions"] = .nonEmpty(configuration.versions.map { ($0.key, experiments($0.experiments)) })
                return (configuration.key, mapping.node)
            })
    }

    private static func experiments(_ experiments: [AuthoredConfiguration.Experiment]) -> Node {
        .mapping(
            experiments.map { experiment in
                var mapping = Mapping(.configuredExperiment)
                if experiment.isSticky { mapping["sticky"] = .boolean(true) }
                mapping["countries"] = .names(experiment.countries)
                mapping["languages"] = .names(experiment.languages)
                mapping["variants"] = .mapping(experiment.variants.map { ($0.key, .plain(Hundredths.text($0.weight))) })
                return (experiment.key, mapping.node)
            })
    }
}

/// The members of a part that is written, in the order of ``ProjectPart/keys``.
struct Mapping {
    private let part: ProjectPart
    private var values: [String: Node] = [:]

    init(_ part: ProjectPart) { self.part = part }

    /// The value of a key; nil leaves it out.
    subscript(key: String) -> Node? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// Adds the members that parts of most kinds can have.
    mutating func addCommonMembers(of part: some AuthoredPart) {
        self["was"] = part.formerKey.map(Node.name)
        self["ignore"] = .names(part.ignoredFindings.map(\.code))
        self["datafile"] = .verbatim(part.verbatim)
    }

    /// Whether it has no members.
    var isEmpty: Bool { values.isEmpty }

    var node: Node {
        .mapping(part.keys.compactMap { key in values[key].map { (key, $0) } })
    }
}

// MARK: Nodes of values

extension Node {
    /// A string, in quotes only where it would be read as something else.
    package static func name(_ text: String) -> Node { Node(.scalar(text, isQuoted: literal(text) != nil)) }

    /// `true` or `false`.
    package static func boolean(_ value: Bool) -> Node { plain(value ? "true" : "false") }

    static func plain(_ text: String) -> Node { Node(.scalar(text, isQuoted: false)) }

    package static func share(_ share: TrafficShare) -> Node { plain(share.percent) }

    /// A list of strings; nil if it is empty.
    static func names(_ texts: [String]) -> Node? {
        texts.isEmpty ? nil : Node(.sequence(texts.map(Node.name)))
    }

    static func mapping(_ members: [(key: String, value: Node)]) -> Node {
        Node(.mapping(members.map { Member(Key($0.key), $0.value) }))
    }

    /// A mapping; nil if it is empty.
    static func nonEmpty(_ members: [(key: String, value: Node)]) -> Node? {
        members.isEmpty ? nil : mapping(members)
    }

    /// Members that are written into the datafile as they are; nil if there are none.
    static func verbatim(_ members: [String: JSONValue]) -> Node? {
        members.isEmpty ? nil : Node(.object(members))
    }

    /// A scalar of JSON, with strings in quotes only where needed.
    static func scalar(_ value: JSONValue) -> Node {
        if case .string(let text) = value { name(text) } else { Node(value) }
    }
}
