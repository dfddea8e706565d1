/// What a user gets, and everything that follows from it.
///
/// A decision is a view into the project it was made with; reading it copies and computes as little as possible.
/// Keeping a decision keeps its project in memory.
public struct Decision: Sendable {
    /// The key of the flag, as asked for.
    public let flagKey: String
    /// What settled the decision.
    public let stage: DecisionStage
    /// The options it was made with.
    public let options: DecideOptions
    /// The id of the prediction that chose the variation, if one did.
    public let predictionUUID: String?

    let project: Project?
    let flagRow: Int32
    let ruleRow: Int32
    let variationRow: Int32
    let record: DecisionRecord?
    let lacksProfile: Bool

    init(
        flagKey: String, outcome: Outcome, options: DecideOptions, project: Project?, flagRow: Int32,
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

    /// A decision that cannot be made, because there is no datafile yet.
    public static func notReady(_ flagKey: String) -> Decision {
        Decision(
            flagKey: flagKey, outcome: Outcome(stage: .notReady), options: [], project: nil, flagRow: -1)
    }

    /// Two decisions of one project with the same outcome differ in nothing but the user and the reasons.
    package struct OutcomeID: Hashable, Sendable {
        private let stage: DecisionStage
        private let flag, rule, variation: Int32

        fileprivate init(_ decision: Decision) {
            stage = decision.stage
            (flag, rule, variation) = (decision.flagRow, decision.ruleRow, decision.variationRow)
        }

        /// One word instead of four fields: the outcome is looked up for every line that is written.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(
                UInt64(UInt32(bitPattern: flag)) << 32 ^ UInt64(UInt32(bitPattern: rule)) << 16
                    ^ UInt64(UInt32(bitPattern: variation)))
        }
    }

    /// What distinguishes the decision's outcome from others of its project.
    package var outcomeID: OutcomeID { OutcomeID(self) }

    // MARK: The answer

    /// The flag that was decided, or nil: there is none with this key.
    public var flag: Flag? {
        guard let project, flagRow >= 0 else { return nil }
        return Flag(project: project, index: Int(flagRow))
    }

    /// The experiment, delivery rule or holdout that gave the variation; nil for a flag's forced decision, and if no
    /// rule took the user.
    public var rule: Rule? {
        guard let project, ruleRow >= 0, variationRow >= 0 else { return nil }
        return Rule(project: project, index: Int(ruleRow))
    }

    /// What the user gets, or nil: nothing.
    public var variation: Variation? {
        guard let project, variationRow >= 0 else { return nil }
        return Variation(project: project, index: Int(variationRow))
    }

    // These three are what nearly everybody reads, so they do without the views: a view retains the project, which all
    // threads share.

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

    /// Whether there is no answer: no datafile, no such flag, or a prediction is missing. Nothing follows from such a
    /// decision: no event, no notification, nothing to remember.
    public var isError: Bool {
        switch stage {
        case .notReady, .flagNotFound, .predictionFailed, .needsPrediction: true
        default: false
        }
    }

    /// The values of the flag's variables: the variation's if it is enabled, otherwise the defaults. Empty with
    /// `excludeVariables`, for errors, and if one value is NaN or infinite, which JSON cannot hold.
    public var variables: Variables {
        let variables = allVariables
        return mayHaveInvalidVariables && !variables.areFinite ? .none : variables
    }

    /// The variables, values that JSON cannot hold included.
    var allVariables: Variables {
        guard let project, flagRow >= 0, !isError, !options.contains(.excludeVariables) else { return .none }
        return Variables(
            of: Int(flagRow), in: project, overriddenBy: isEnabled ? Int(variationRow) : nil)
    }

    private var mayHaveInvalidVariables: Bool {
        guard let project, flagRow >= 0, !isError, !options.contains(.excludeVariables) else { return false }
        return project.tables.flags[Int(flagRow)].needsVariableCheck
    }

    // MARK: Why

    /// Why the user gets this: errors first, then, if `includeReasons` was asked for, every step.
    public var reasons: [Reason] {
        guard let record else { return errors }
        return errors + reasons(of: record)
    }

    private var errors: [Reason] { (lacksProfile ? [.profileUnavailable] : []) + ownErrors }

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
        return record.steps.flatMap { project.reasons(for: $0, flag: Int(flagRow), user: record.user) }
    }

    /// The same decision with another record.
    func recorded(by record: DecisionRecord) -> Decision {
        Decision(
            flagKey: flagKey, outcome: Outcome(stage: stage, rule: ruleRow, variation: variationRow), options: options,
            project: project, flagRow: flagRow, predictionUUID: predictionUUID, record: record,
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

// MARK: What follows

extension Decision {
    /// What kind of rule a decision comes from, as events and notifications name it.
    public enum Source: String, Sendable {
        /// An experiment, or a forced decision.
        case featureTest = "feature-test"
        /// A delivery rule, or no rule at all.
        case rollout
        /// A holdout.
        case holdout
    }

    /// What kind of rule the decision comes from.
    public var source: Source {
        if stage == .forcedDecision { return .featureTest }
        switch rule?.kind {
        case .experiment: return .featureTest
        case .holdout: return .holdout
        case .delivery, nil: return .rollout
        }
    }

    /// What to remember: the variation id for an experiment id, or nil.
    ///
    /// Only fresh assignments by bucket are remembered; predictions, forced ones and holdouts are not. Nor is what was
    /// assigned without the user's profile: an earlier assignment might be overwritten.
    public var assignment: (experimentID: String, variationID: String)? {
        guard stage == .bucketed, !lacksProfile, !options.contains(.ignoreUserProfileService), let rule, let variation
        else { return nil }
        return (rule.id, variation.id)
    }

    /// What to ask for before this decision can be made, or nil: it is made.
    public func predictionRequest(for user: User) -> PredictionRequest? {
        guard stage == .needsPrediction, let project else { return nil }
        return project.predictionRequest(rule: ruleRow, for: user)
    }
}
