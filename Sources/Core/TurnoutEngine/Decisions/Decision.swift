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
