/// An experiment, a delivery rule or a holdout of a project.
public struct Rule: Sendable {
    let project: Project
    let index: Int

    /// What a rule is for.
    public enum Kind: Sendable {
        /// An experiment of a flag, or a stand-alone one.
        case experiment
        /// A rule of a rollout.
        case delivery
        /// A share of the users that is kept out.
        case holdout
    }

    /// Whether a rule applies. Delivery rules apply whatever their status.
    public enum Status: String, Sendable {
        /// Applies. The only status in which experiments and holdouts do.
        case running = "Running"
        /// An experiment that was decided and launched; it does not apply any more.
        case launched = "Launched"
        /// Does not apply for the time being.
        case paused = "Paused"
        /// Does not apply yet.
        case notStarted = "Not started"
        /// Does not apply any more.
        case archived = "Archived"
        /// A holdout that does not apply yet.
        case draft = "Draft"
        /// A holdout that does not apply any more.
        case concluded = "Concluded"

        static let ofExperiments: [Status] = [.running, .launched, .paused, .notStarted, .archived]
        static let ofHoldouts: [Status] = [.running, .draft, .concluded, .archived]
    }

    /// How an experiment distributes its users. Only feature rollouts are treated differently here.
    public enum ExperimentType: String, Sendable {
        /// An A/B test.
        case abTest = "ab"
        /// A multi-armed bandit: the vendor changes the allocation.
        case multiArmedBandit = "mab"
        /// A contextual multi-armed bandit: the vendor predicts a variation for each user.
        case contextualBandit = "cmab"
        /// A targeted delivery.
        case targetedDelivery = "td"
        /// A feature rollout: users outside the ramp get the flag's everyone-else variation, by this rule.
        case featureRollout = "fr"
        /// The datafile does not say, or says something else.
        case unspecified = ""
    }

    var row: RuleRow { project.tables.rules[index] }

    /// The id that users are bucketed with.
    public var id: String { project.text(row.id) }
    /// The key that people use.
    public var key: String { project.text(row.key) }
    /// The campaign that events of this rule belong to; empty for holdouts.
    public var layerID: String { project.text(row.layerID) }
    /// What the rule is for.
    public var kind: Kind { row.kind }
    /// Whether it applies.
    public var status: Status { row.status }
    /// How it distributes its users.
    public var type: ExperimentType { row.type }
    /// The ids of the audiences that the datafile lists, whether or not its conditions stand in their place.
    package var audienceIDs: [String] { row.audienceIDs.range.map { project.text(project.tables.symbolLists[$0]) } }
    /// Whether a prediction service chooses the variation.
    public var isContextualBandit: Bool { row.isCMAB }
    /// The share of users that take part in a contextual bandit, as an end of range; nil for other rules.
    public var contextualBanditTraffic: Int? { row.isCMAB ? Int(row.cmabTraffic) : nil }

    /// What users can get, in the datafile's order. For a feature rollout the last one was added by the engine.
    public var variations: [Variation] { row.variations.range.map { Variation(project: project, index: $0) } }

    /// The rule's traffic, in the datafile's order.
    public var traffic: [TrafficRange] { project.trafficRanges(row.traffic) { project.tables.variations[$0].key } }

    /// The mutual-exclusion group that the rule belongs to.
    public var group: ExperimentGroup? {
        row.group < 0 ? nil : ExperimentGroup(project: project, index: Int(row.group))
    }

    /// The holdouts that guard only this rule.
    public var localHoldouts: [Rule] {
        row.localHoldouts.range.map { Rule(project: project, index: Int(project.tables.localHoldoutRows[$0])) }
    }

    /// The users who always get a certain variation: user ids and variation keys.
    public var whitelist: [(userID: String, variationKey: String)] {
        row.whitelist.range.map { index in
            let entry = project.tables.whitelist[index]
            return (project.text(entry.userID), project.text(entry.variationKey))
        }
    }

    /// Who the rule is for.
    public var audience: AudienceCondition { project.audienceCondition(row.condition) }
}

/// A share of traffic: users whose bucket lies in `buckets` get the entity.
public struct TrafficRange: Sendable, Equatable {
    /// The buckets, out of 0 to 9,999.
    public let buckets: Range<Int>
    /// The id of a variation, or of an experiment in a group; empty where nobody gets anything.
    public let entityID: String
    /// The key of the entity, or nil: the id resolves to nothing.
    public let entityKey: String?
}

extension Project {
    /// The ranges of a traffic list; `key` gives the symbol of an entity's key by its row.
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
