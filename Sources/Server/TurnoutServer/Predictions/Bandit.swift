import TurnoutEngine
package import TurnoutFlags

/// The weights of a rule's variations, and the choice of one for a user.
package struct Bandit: Sendable, Equatable {
    /// A variation of the rule.
    package struct Arm: Sendable, Equatable {
        package let variationID: String
        package let variationKey: String
        /// The statistics of the arm.
        package let statistics: ArmStatistics
        /// Its share of users, in buckets of 10,000.
        package let weight: Int
    }

    package let projectID: String
    /// The environment of the datafile; nil if it does not say.
    let environment: String?
    package let ruleID: String
    package let ruleKey: String
    /// The optimized metric; nil if there is none, so that all variations have the same weight.
    package let metric: ExperimentMetric?
    /// The variations, in the order of the datafile.
    package let arms: [Arm]
    private let seed: UInt64

    /// Takes the weights that a hub has computed.
    init(_ copy: CopiedBandit) {
        (projectID, environment) = (copy.projectId, copy.environment)
        (ruleID, ruleKey) = (copy.ruleId, copy.rule)
        var metric = copy.metric.flatMap { BanditMetric("\(copy.ruleId)=\($0)")?.metric }
        metric?.direction = copy.direction.flatMap { .init(rawValue: $0) } ?? .increase
        self.metric = metric
        seed = UInt64(bitPattern: copy.seed)
        arms = copy.variations.map { arm in
            Arm(
                variationID: arm.variationId, variationKey: arm.variation,
                statistics: ArmStatistics(users: arm.users, mean: arm.mean, variance: arm.variance),
                weight: Int((arm.weight * Double(ThompsonSampling.rounds)).rounded()))
        }
    }

    /// The weights, for people and for spokes.
    var copied: CopiedBandit {
        CopiedBandit(
            rule: ruleKey, environment: environment, ruleId: ruleID, projectId: projectID,
            metric: metric.map { "\($0.event).\($0.aggregation.rawValue)" }, direction: metric?.direction.rawValue,
            seed: Int64(bitPattern: seed),
            variations: arms.map { arm in
                .init(
                    variation: arm.variationKey, variationId: arm.variationID,
                    weight: Double(arm.weight) / Double(ThompsonSampling.rounds), users: arm.statistics.users,
                    mean: arm.statistics.mean, variance: arm.statistics.variance)
            })
    }

    /// Computes the weights from what is known of each variation.
    init(_ rule: BanditRule, _ statistics: [ArmStatistics], seed: UInt64) {
        (projectID, environment, metric) = (rule.projectID, rule.environment, rule.metric)
        (ruleID, ruleKey) = (rule.ruleID, rule.ruleKey)
        self.seed = seed
        var sampling = ThompsonSampling(statistics, rule.metric, seed: seed ^ UInt64(Self.hash(rule.ruleID)))
        arms = zip(zip(rule.variations, statistics), sampling.weights()).map { known, weight in
            Arm(variationID: known.0.id, variationKey: known.0.key, statistics: known.1, weight: weight)
        }
    }

    /// The variation for a user: the same one until the weights change, and then for most users still.
    ///
    /// - Returns: The variation's id; nil if the rule has no variations.
    /// - Complexity: O(n) in the number of variations.
    package func variationID(for userID: String) -> String? {
        let bucket = Bucketing(bucketingID: userID).bucket(entityID: "\(ruleID) \(seed)")
        var end = 0
        for arm in arms {
            end += arm.weight
            if bucket < end { return arm.variationID }
        }
        return nil
    }

    private static func hash(_ text: String) -> UInt32 { Bucketing(bucketingID: "").hash(entityID: text) }
}

/// A rule of a served datafile that asks for predictions.
struct BanditRule: Sendable {
    let projectID: String
    let environment: String?
    let ruleID: String
    let ruleKey: String
    let variations: [(id: String, key: String)]
    let metric: ExperimentMetric?

    init(_ rule: Rule, of project: Project, metric: ExperimentMetric?) {
        (projectID, environment) = (project.projectID, project.environmentKey)
        (ruleID, ruleKey) = (rule.id, rule.key)
        variations = rule.variations.map { ($0.id, $0.key) }
        self.metric = metric
    }
}
