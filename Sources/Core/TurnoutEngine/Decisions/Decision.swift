/// The outcome of a flag for a user, and the data derived from it.
///
/// A decision is a view into its project; reading it copies and computes as little as possible. A decision keeps its
/// project in memory.
public struct Decision: Sendable {
    /// The key of the flag, as passed by the caller.
    public let flagKey: String
    /// The stage that settled the decision.
    public let stage: DecisionStage
    /// The options of the decision.
    public let options: DecideOptions
    /// The id of the prediction that chose the variation, if any.
    public let predictionUUID: String?

    let project: Project?
    let flagRow: Int32
    let ruleRow: Int32
    let variationRow: Int32
    let record: DecisionRecord?
    let lacksProfile: Bool

    init(
        flagKey: String, outcome: DecisionOutcome, options: DecideOptions, project: Project?, flagRow: Int32,
        predictionUUID: String? = nil, record: DecisionRecord? = nil, lacksProfile: Bool = false
    ) {
        self.flagKey = flagKey
        self.options = options
        self.project = project
        self.flagRow = flagRow
        self.predictionUUID = predictionUUID
        self.record = record
        self.lacksProfile = lacksProfile
        stage = outcome.stage
        ruleRow = outcome.rule
        variationRow = outcome.variation
    }

    /// A decision that cannot be made because there is no datafile yet.
    public static func notReady(_ flagKey: String) -> Decision {
        Decision(
            flagKey: flagKey, outcome: DecisionOutcome(stage: .notReady), options: [], project: nil, flagRow: -1)
    }

    /// A decision for a flag that the project does not have.
    static func flagNotFound(_ flagKey: String, in project: Project, _ options: DecideOptions) -> Decision {
        Decision(
            flagKey: flagKey, outcome: DecisionOutcome(stage: .flagNotFound), options: options, project: project,
            flagRow: -1)
    }

    /// Identifies an outcome: two decisions of a project with the same outcome differ only in the user and the reasons.
    package struct OutcomeID: Hashable, Sendable {
        let stage: DecisionStage
        let flag, rule, variation: Int32

        /// The rows in one word, which are nearly always different for different outcomes: outcomes are looked up for
        /// every line of output.
        @inline(__always)
        package var word: UInt64 {
            UInt64(UInt32(bitPattern: flag)) << 32 ^ UInt64(UInt32(bitPattern: rule)) << 16
                ^ UInt64(UInt32(bitPattern: variation))
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(word) }
    }

    /// Distinguishes the decision's outcome from other outcomes in its project.
    package var outcomeID: OutcomeID {
        OutcomeID(stage: stage, flag: flagRow, rule: ruleRow, variation: variationRow)
    }

    /// Whether the decision was made with a project or one of its replicas, so that ``outcomeID`` belongs to it.
    package func belongs(to other: Project) -> Bool { project?.tables.identity === other.tables.identity }

    /// Distinguishes the project from others in memory, but not from its replicas; nil without one.
    package var projectIdentity: ObjectIdentifier? { project.map { ObjectIdentifier($0.tables.identity) } }

    // MARK: The result

    /// The flag, or nil if there is none with this key.
    public var flag: Flag? {
        guard let project, flagRow >= 0 else { return nil }
        return Flag(project: project, index: Int(flagRow))
    }

    /// The experiment, rollout rule or holdout that gave the variation; nil for a flag's forced decision, and if no
    /// rule applied.
    public var rule: Rule? {
        guard let project, ruleRow >= 0, variationRow >= 0 else { return nil }
        return Rule(project: project, index: Int(ruleRow))
    }

    /// The variation, or nil if the user gets none.
    public var variation: Variation? {
        guard let project, variationRow >= 0 else { return nil }
        return Variation(project: project, index: Int(variationRow))
    }

    // These three are read most often and avoid the views: a view retains the project, which all threads share.

    /// The key of ``rule``.
    public var ruleKey: String? {
        guard let project, ruleRow >= 0, variationRow >= 0 else { return nil }
        return project.text(project.tables.rules[Int(ruleRow)].key)
    }

    /// The key of ``variation``.
    public var variationKey: String? {
        guard let project, variationRow >= 0 else { return nil }
        return project.text(project.tables.variations[Int(variationRow)].key)
    }

    /// Whether the flag is on for the user.
    public var isEnabled: Bool {
        guard let project, variationRow >= 0 else { return false }
        return project.tables.variations[Int(variationRow)].isEnabled
    }

    /// Whether the decision failed: no datafile, no such flag, or a missing prediction. Such a decision has no event,
    /// notification or assignment.
    public var isError: Bool {
        switch stage {
        case .notReady, .flagNotFound, .predictionFailed, .needsPrediction: true
        default: false
        }
    }

    /// The values of the flag's variables: the variation's if it is enabled, otherwise the defaults. Empty with
    /// `excludeVariables`, for errors, and if any value is NaN or infinite, which JSON cannot represent.
    public var variables: Variables {
        let variables = allVariables
        return mayHaveInvalidVariables && !variables.areFinite ? .none : variables
    }

    /// The variables, including values that JSON cannot represent.
    var allVariables: Variables {
        guard let project, flagRow >= 0, !isError, !options.contains(.excludeVariables) else { return .none }
        return Variables(
            of: Int(flagRow), in: project, overriddenBy: isEnabled ? Int(variationRow) : nil)
    }

    private var mayHaveInvalidVariables: Bool {
        guard let project, flagRow >= 0, !isError, !options.contains(.excludeVariables) else { return false }
        return project.tables.flags[Int(flagRow)].needsVariableCheck
    }

    /// The revision of the datafile, or nil without one.
    package var revision: String? { project?.revision }

    // MARK: Reasons

    /// The reasons for the decision: errors first, then every step if `includeReasons` is set.
    public var reasons: [Reason] {
        guard let record else { return errors }
        return Array(repeatElement(errors, count: record.errorCount).joined()) + reasons(of: record)
    }

    /// The reasons that are reported without `includeReasons`.
    var errors: [Reason] { lacksProfile ? [.profileUnavailable] + ownErrors : ownErrors }

    private var ownErrors: [Reason] {
        switch stage {
        case .notReady: return [.notReady]
        case .flagNotFound: return [.flagNotFound(flag: flagKey)]
        case .predictionFailed:
            guard let project else { return [] }
            return [.predictionFailed(experiment: Rule(project: project, index: Int(ruleRow)).key)]
        default:
            guard mayHaveInvalidVariables else { return [] }
            return allVariables.invalidKeys.map { .invalidVariable(variable: $0) }
                + (allVariables.areFinite ? [] : [.invalidVariables])
        }
    }

    private func reasons(of record: DecisionRecord) -> [Reason] {
        guard let project, options.contains(.includeReasons) else { return [] }
        let explainer = DecisionExplainer(project: project, flag: Int(flagRow), user: record.user)
        return record.steps.flatMap { explainer.reasons(for: $0) }
    }

    /// The same decision with a different record.
    func recorded(by record: DecisionRecord) -> Decision {
        Decision(
            flagKey: flagKey, outcome: DecisionOutcome(stage: stage, rule: ruleRow, variation: variationRow),
            options: options, project: project, flagRow: flagRow, predictionUUID: predictionUUID, record: record,
            lacksProfile: lacksProfile)
    }
}

extension Decision: CustomStringConvertible {
    /// `checkout: one_page (on) by checkout_test, bucketed`.
    public var description: String {
        guard let variationKey else { return "\(flagKey): no variation, \(stage)" }
        return "\(flagKey): \(variationKey) (\(isEnabled ? "on" : "off"))" + (ruleKey.map { " by \($0)" } ?? "")
            + ", \(stage)"
    }
}

// MARK: Effects

extension Decision {
    /// The kind of rule that a decision comes from, as in events and notifications.
    public enum Source: String, Sendable {
        /// An experiment, or a forced decision.
        case featureTest = "feature-test"
        /// A rollout rule, or no rule.
        case rollout
        /// A holdout.
        case holdout
    }

    /// The kind of rule that the decision comes from.
    public var source: Source {
        if stage == .forcedDecision { return .featureTest }
        guard let project, ruleRow >= 0, variationRow >= 0 else { return .rollout }
        switch project.tables.rules[Int(ruleRow)].kind {
        case .experiment: return .featureTest
        case .holdout: return .holdout
        case .rollout: return .rollout
        }
    }

    /// The assignment to store: the experiment id and the variation id, or nil.
    ///
    /// Only new assignments by bucketing are stored, not predictions, forced variations or holdouts. Nor are decisions
    /// made without the user's profile: they might overwrite an earlier assignment.
    public var assignment: (experimentID: String, variationID: String)? {
        guard stage == .bucketed, !lacksProfile, !options.contains(.ignoreUserProfileService), let rule, let variation
        else { return nil }
        return (rule.id, variation.id)
    }

    /// The prediction this decision needs, or nil if it needs none.
    public func predictionRequest(for user: User) -> PredictionRequest? {
        guard stage == .needsPrediction, let project else { return nil }
        return PredictionRequest(for: Rule(project: project, index: Int(ruleRow)), user: user)
    }
}

/// The stages that can settle a decision, in evaluation order.
public enum DecisionStage: String, Sendable {
    /// The user has a forced decision for the flag.
    case forcedDecision
    /// A holdout keeps the user out.
    case holdout
    /// The user has a forced decision for the rule.
    case forcedRule
    /// The user has a forced variation in the experiment.
    case forcedVariation
    /// The user is on the experiment's whitelist.
    case whitelist
    /// The user's profile has an assignment to the variation.
    case storedAssignment
    /// The user's bucket is in the experiment's traffic.
    case bucketed
    /// A prediction service chose the variation.
    case predicted
    /// A rollout rule of the flag applied.
    case rollout
    /// No rule applied.
    case noRule
    /// A contextual bandit needs a prediction; the decision is pending.
    case needsPrediction
    /// A contextual bandit needed a prediction, but it failed.
    case predictionFailed
    /// The datafile has no such flag.
    case flagNotFound
    /// There is no datafile.
    case notReady
}

/// The result of evaluating a flag's rules. Rows only, -1 for none.
struct DecisionOutcome {
    var stage: DecisionStage
    var rule: Int32 = -1
    var variation: Int32 = -1

    static let noRule = DecisionOutcome(stage: .noRule)
}

/// The inputs of a decision besides the project and the user.
struct DecisionInputs {
    var profile = UserProfile()
    var predictions = Predictions.unavailable
    /// False for the legacy interfaces, which have no forced decisions.
    var considersForcedDecisions = true

    /// The id of the prediction that an outcome follows, or nil.
    @inline(__always)
    func predictionUUID(of outcome: DecisionOutcome, in project: Project) -> String? {
        guard outcome.stage == .predicted, case .received(let predictions) = predictions,
            case .variation(_, let uuid)? = predictions[project.text(project.tables.rules[Int(outcome.rule)].id)]
        else { return nil }
        return uuid
    }
}

extension DecisionInputs {
    /// The inputs under these options: `ignoreUserProfileService` replaces the profile by an empty one.
    init(_ profile: UserProfile, _ predictions: Predictions, _ options: DecideOptions) {
        self.init(
            profile: options.contains(.ignoreUserProfileService) ? UserProfile() : profile, predictions: predictions)
    }
}

/// Options of a decision.
public struct DecideOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: UInt16

    /// Creates options from their bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Does not send an impression.
    public static let disableDecisionEvent = DecideOptions(rawValue: 1 << 0)
    /// Returns only enabled flags, in decisions for several flags. A decision for a single flag is always returned.
    public static let enabledFlagsOnly = DecideOptions(rawValue: 1 << 1)
    /// Neither reads nor stores assignments.
    public static let ignoreUserProfileService = DecideOptions(rawValue: 1 << 2)
    /// Includes reasons. Without this option only errors are reported.
    public static let includeReasons = DecideOptions(rawValue: 1 << 3)
    /// Leaves out the variables.
    public static let excludeVariables = DecideOptions(rawValue: 1 << 4)
    /// Requests predictions without using the cache, and does not cache the results.
    public static let ignoreCmabCache = DecideOptions(rawValue: 1 << 5)
    /// Removes all cached predictions first.
    public static let resetCmabCache = DecideOptions(rawValue: 1 << 6)
    /// Removes the cached prediction for this user and rule first.
    public static let invalidateUserCmabCache = DecideOptions(rawValue: 1 << 7)

    /// The options with the given names; unknown names are ignored.
    public init(names: [String]) { self.init(Self.named.filter { names.contains($0.key) }.map(\.value)) }

    /// All options by their names in the vendor's interfaces.
    public static let named: KeyValuePairs<String, DecideOptions> = [
        "disableDecisionEvent": .disableDecisionEvent,
        "enabledFlagsOnly": .enabledFlagsOnly,
        "ignoreUserProfileService": .ignoreUserProfileService,
        "includeReasons": .includeReasons,
        "excludeVariables": .excludeVariables,
        "ignoreCmabCache": .ignoreCmabCache,
        "resetCmabCache": .resetCmabCache,
        "invalidateUserCmabCache": .invalidateUserCmabCache,
    ]
}
