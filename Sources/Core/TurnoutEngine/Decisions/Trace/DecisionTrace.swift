/// The steps of a decision, as values.
///
/// ```swift
/// let trace = project.explain("checkout", for: ada)
/// print(trace)            // a tree to read
/// print(trace.json)       // the same for programs
/// ```
public struct DecisionTrace: Sendable {
    /// The decision.
    public let decision: Decision
    /// The user.
    public let user: User
    /// The stages, in evaluation order.
    public let stages: [Stage]

    /// One stage of the evaluation.
    public enum Stage: Sendable, Equatable {
        /// The user has a forced decision for the flag; nil if the flag does not have the variation.
        case forcedDecision(variation: String?)
        /// An experiment, rollout rule or holdout was evaluated.
        case rule(RuleTrace)
        /// The flag has no experiments.
        case noExperiments
        /// The flag has no rollout.
        case noRollout
        /// The flag refers to a rollout that is not in the datafile.
        case unknownRollout(id: String)
        /// The flag's rollout has no rules.
        case emptyRollout(id: String)
    }
}

/// The evaluation of one experiment, rollout rule or holdout.
public struct RuleTrace: Sendable, Equatable {
    /// The kind of rule.
    public let kind: Rule.Kind
    /// How an experiment distributes its users; ``Rule/ExperimentType/unspecified`` for other rules.
    public let type: Rule.ExperimentType
    /// The rule's key.
    public let key: String
    /// The rule's id, which is hashed.
    public let id: String
    /// The rule's status. It is ignored for rollout rules.
    public let status: Rule.Status
    /// Whether this is the rollout rule for everyone else.
    public let isForEveryoneElse: Bool
    /// The checks, in order.
    public internal(set) var checks: [Check] = []

    /// One check of a rule.
    public indirect enum Check: Sendable, Equatable {
        /// A holdout that applies only to this rule.
        case localHoldout(RuleTrace)
        /// The user has a forced decision for the rule; nil if the flag does not have the variation.
        case forcedDecision(variation: String?)
        /// The rule is not running and was skipped.
        case notRunning
        /// The user has a forced variation; nil if the experiment does not have it.
        case forcedVariation(variation: String?)
        /// The user is on the whitelist; `exists` is false if the experiment does not have the variation.
        case whitelist(variation: String, exists: Bool)
        /// The user's profile has an assignment to the variation.
        case storedAssignment(variation: String)
        /// The rule's audience.
        case audience(AudienceTrace)
        /// The bucket that chose among the experiments of a mutual-exclusion group.
        case group(BucketTrace, isAdmitted: Bool)
        /// The bucket that chose among the rule's variations.
        case bucket(BucketTrace)
        /// The bucket that decided whether the user takes part in a contextual bandit.
        case predictionGate(bucket: Int, limit: Int)
        /// There was no prediction service.
        case predictionUnavailable
        /// The prediction failed.
        case predictionFailed
        /// A prediction service chose a variation.
        case predicted(variationID: String, uuid: String)
        /// A prediction is needed before the evaluation can continue.
        case needsPrediction
    }
}

/// How a bucket was computed, and its result.
public struct BucketTrace: Sendable, Equatable {
    /// The string that represents the user in the hash.
    public let bucketingID: String
    /// The salt: the id of the rule or group, which follows the bucketing id in the hashed text.
    public let salt: String
    /// The bucket, 0 to 9,999.
    public let bucket: Int
    /// The range that the bucket is in, or nil.
    public let range: TrafficRange?
}
