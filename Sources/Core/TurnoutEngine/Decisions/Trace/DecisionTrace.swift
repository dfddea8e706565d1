/// How a decision came about, step by step, as values.
///
/// ```swift
/// let trace = project.explain("checkout", for: ada)
/// print(trace)            // a tree to read
/// print(trace.json)       // the same for programs
/// ```
public struct DecisionTrace: Sendable {
    /// The decision.
    public let decision: Decision
    /// Whom it was made for.
    public let user: User
    /// What was tried, in order.
    public let stages: [Stage]

    /// One thing that was tried.
    public enum Stage: Sendable, Equatable {
        /// The user has a forced decision for the flag; nil: for a variation the flag does not have.
        case forcedDecision(variation: String?)
        /// An experiment, delivery rule or holdout was looked at.
        case rule(RuleTrace)
        /// The flag has no experiments.
        case noExperiments
        /// The flag has no rollout.
        case noRollout
        /// The flag names a rollout that the datafile does not have.
        case unknownRollout(id: String)
        /// The flag's rollout has no rules.
        case emptyRollout(id: String)
    }
}

/// What happened at one experiment, delivery rule or holdout.
public struct RuleTrace: Sendable, Equatable {
    /// What the rule is for.
    public let kind: Rule.Kind
    /// The rule's key.
    public let key: String
    /// The rule's id, which is hashed.
    public let id: String
    /// The rule's status. It does not count for delivery rules.
    public let status: Rule.Status
    /// Whether this is the delivery rule for everyone else.
    public let isForEveryoneElse: Bool
    /// What was checked, in order.
    public internal(set) var checks: [Check] = []

    /// One check of a rule.
    public indirect enum Check: Sendable, Equatable {
        /// A holdout that guards only this rule.
        case localHoldout(RuleTrace)
        /// The user has a forced decision for the rule; nil: for a variation the flag does not have.
        case forcedDecision(variation: String?)
        /// The rule is not running, so it was left.
        case notRunning
        /// The user has a forced variation; nil: one the experiment does not have.
        case forcedVariation(variation: String?)
        /// The whitelist names the user; `exists` is false if the experiment does not have the variation.
        case whitelist(variation: String, exists: Bool)
        /// The user was assigned to the variation before.
        case remembered(variation: String)
        /// The rule's audience.
        case audience(AudienceTrace)
        /// The bucket that chose among the experiments of a mutual-exclusion group.
        case group(BucketTrace, isAdmitted: Bool)
        /// The bucket that chose among the rule's variations.
        case bucket(BucketTrace)
        /// The bucket that decided whether the user takes part in a contextual bandit.
        case predictionGate(bucket: Int, limit: Int)
        /// Nobody could be asked for a prediction.
        case predictionUnavailable
        /// A prediction was asked for, but there is none.
        case predictionFailed
        /// A prediction service chose a variation.
        case predicted(variationID: String, uuid: String)
        /// A prediction is needed before the walk can go on.
        case needsPrediction
    }
}

/// How a bucket was found, and what it gave.
public struct BucketTrace: Sendable, Equatable {
    /// The text that stands for the user in the hash.
    public let bucketingID: String
    /// The salt: the id of the rule or group, which follows the user's text in the hash.
    public let salt: String
    /// The bucket, 0 to 9,999.
    public let bucket: Int
    /// The range that the bucket fell into, or nil: none.
    public let range: TrafficRange?
}

extension Project {
    /// Decides one flag for a user, and tells how.
    ///
    /// The decision is the one that ``decide(_:for:remembering:predictions:options:)-(String,_,_,_,_)`` makes.
    public func explain(
        _ flagKey: String, for user: User, remembering profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionTrace {
        let decision = decide(
            flagKey, for: user, remembering: profile, predictions: predictions, options: options.union(.includeReasons))
        return DecisionTrace(decision: decision, user: user, stages: stages(of: decision))
    }
}
