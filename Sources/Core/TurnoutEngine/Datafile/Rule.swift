/// An experiment, a rollout rule or a holdout of a project.
public struct Rule: Sendable {
    let project: Project
    let index: Int

    /// The kinds of rules.
    public enum Kind: Sendable {
        /// An experiment of a flag, or a stand-alone one.
        case experiment
        /// A rule of a rollout.
        case rollout
        /// A rule that keeps a share of users out.
        case holdout
    }

    /// Whether a rule applies. Rollout rules apply whatever their status.
    public enum Status: String, Sendable {
        /// The rule applies. Experiments and holdouts apply in no other status.
        case running = "Running"
        /// An experiment whose winner was launched; it no longer applies.
        case launched = "Launched"
        /// Temporarily does not apply.
        case paused = "Paused"
        /// Does not apply yet.
        case notStarted = "Not started"
        /// No longer applies.
        case archived = "Archived"
        /// A draft holdout, which does not apply yet.
        case draft = "Draft"
        /// A concluded holdout, which no longer applies.
        case concluded = "Concluded"

        static let ofExperiments: [Status] = [.running, .launched, .paused, .notStarted, .archived]
        static let ofHoldouts: [Status] = [.running, .draft, .concluded, .archived]
    }

    /// How an experiment distributes its users. The engine treats only feature rollouts differently.
    public enum ExperimentType: String, Sendable {
        /// An A/B test.
        case abTest = "ab"
        /// A multi-armed bandit: the vendor adjusts the allocation.
        case multiArmedBandit = "mab"
        /// A contextual multi-armed bandit: the vendor predicts a variation for each user.
        case contextualBandit = "cmab"
        /// A targeted delivery.
        case targetedDelivery = "td"
        /// A feature rollout: users outside the ramp get the flag's everyone-else variation through this rule.
        case featureRollout = "fr"
        /// The datafile does not give a type, or gives an unknown one.
        case unspecified = ""
    }

    /// Whether a key was generated. The vendor's application and `turnout` derive the key and the id of the rule for
    /// everyone else from the rollout's id.
    package static func isGenerated(_ key: String, ofRule id: String) -> Bool { key == id && key.hasPrefix("default-") }

    /// Whether the key was generated, so that people read `everyone else` in its place.
    package var hasGeneratedKey: Bool { Self.isGenerated(key, ofRule: id) }

    var row: RuleRow { project.tables.rules[index] }

    /// The id that is hashed for bucketing.
    public var id: String { project.text(row.id) }
    /// The rule's key.
    public var key: String { project.text(row.key) }
    /// The campaign that this rule's events belong to; empty for holdouts.
    public var layerID: String { project.text(row.layerID) }
    /// The kind of rule.
    public var kind: Kind { row.kind }
    /// Whether it applies.
    public var status: Status { row.status }
    /// How it distributes its users.
    public var type: ExperimentType { row.type }
    /// The audience ids in the datafile, whether or not `audienceConditions` replace them.
    package var audienceIDs: [String] { row.audienceIDs.range.map { project.text(project.tables.symbolLists[$0]) } }
    /// The share of users that take part in a contextual bandit, as an end of range; nil for other rules.
    public var contextualBanditTraffic: Int? { row.isCMAB ? Int(row.cmabTraffic) : nil }

    /// The rule's variations, in the datafile's order. A feature rollout's last one was added by the engine.
    public var variations: [Variation] { row.variations.range.map { Variation(project: project, index: $0) } }

    /// The rule's traffic, in the datafile's order.
    public var traffic: [TrafficRange] { project.trafficRanges(row.traffic) { project.tables.variations[$0].key } }

    /// The mutual-exclusion group that the rule belongs to.
    public var group: ExperimentGroup? {
        row.group < 0 ? nil : ExperimentGroup(project: project, index: Int(row.group))
    }

    /// The holdouts that apply only to this rule.
    public var localHoldouts: [Rule] {
        row.localHoldouts.range.map { Rule(project: project, index: Int(project.tables.localHoldoutRows[$0])) }
    }

    /// The users with a fixed variation: user ids and variation keys.
    public var whitelist: [(userID: String, variationKey: String)] {
        row.whitelist.range.map { index in
            let entry = project.tables.whitelist[index]
            return (project.text(entry.userID), project.text(entry.variationKey))
        }
    }

    /// Whether the rule has an audience condition.
    package var hasAudience: Bool { row.condition >= 0 }

    /// The rule's audience condition.
    public var audience: AudienceCondition { project.audienceCondition(row.condition) }
}

/// A share of traffic: users whose bucket is in `buckets` get the entity.
public struct TrafficRange: Sendable, Equatable {
    /// The buckets, out of 0 to 9,999.
    public let buckets: Range<Int>
    /// The id of a variation, or of an experiment in a group; empty if these users get nothing.
    public let entityID: String
    /// The key of the entity, or nil if there is no such entity.
    public let entityKey: String?
}

extension Project {
    /// The ranges of a traffic list; `key` returns the symbol of an entity's key for its row.
    func trafficRanges(_ rows: Rows, key: (Int) -> Symbol) -> [TrafficRange] {
        var start = 0
        return rows.range.map { index in
            let row = tables.traffic[index]
            let end = min(max(Int(row.endOfRange), start), Bucketing.bucketCount)
            defer { start = end }
            return TrafficRange(
                buckets: start..<end, entityID: text(row.entityID),
                entityKey: row.entity < 0 ? nil : text(key(Int(row.entity))))
        }
    }
}

/// A variation of a rule.
public struct Variation: Sendable {
    let project: Project
    let index: Int

    var row: VariationRow { project.tables.variations[index] }

    /// The id in profiles and events.
    public var id: String { project.text(row.id) }
    /// The variation's key.
    public var key: String { project.text(row.key) }
    /// Whether the flag is on for users of this variation. False if the datafile does not say.
    public var isEnabled: Bool { row.isEnabled }
    /// The datafile's value for ``isEnabled``, or nil if it has none.
    public var featureEnabled: Bool? { row.featureEnabled }

    /// The variation's own values for variables of its flag, as strings, by variable id.
    public var overrides: [(variableID: String, value: String)] {
        row.overrides.range.map { index in
            let override = project.tables.overrides[index]
            return (project.text(override.variableID), project.text(override.value))
        }
    }
}

/// A group of mutually exclusive experiments.
public struct ExperimentGroup: Sendable {
    let project: Project
    let index: Int

    var row: GroupRow { project.tables.groups[index] }

    /// The id that is hashed to choose one of the experiments.
    public var id: String { project.text(row.id) }
    /// Whether a user takes part in at most one of the experiments. If not, the group has no effect.
    public var isExclusive: Bool { row.policy == .random }
    /// The experiments of the group.
    public var experiments: [Rule] { row.experiments.range.map { Rule(project: project, index: $0) } }
    /// Which share of users may take part in which experiment.
    public var traffic: [TrafficRange] { project.trafficRanges(row.traffic) { project.tables.rules[$0].key } }
}

extension Project {
    /// The groups of experiments.
    public var groups: [ExperimentGroup] { tables.groups.indices.map { ExperimentGroup(project: self, index: $0) } }
    /// The holdouts that apply to all flags.
    public var globalHoldouts: [Rule] { tables.globalHoldouts.range.map { Rule(project: self, index: $0) } }
    /// The holdouts that apply to single rules.
    public var localHoldouts: [Rule] { tables.localHoldouts.range.map { Rule(project: self, index: $0) } }
    /// All experiments: ungrouped ones first, then those of each group.
    public var experiments: [Rule] { tables.experimentRows.map { Rule(project: self, index: Int($0)) } }

    /// The experiment with a key, or nil. Rollout rules and holdouts are not experiments.
    public func experiment(_ key: String) -> Rule? {
        tables.symbols.find(key).flatMap { tables.experimentsByKey[$0] }.map { Rule(project: self, index: $0) }
    }
}
