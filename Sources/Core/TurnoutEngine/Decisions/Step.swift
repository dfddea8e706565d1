/// One step of a walk, in rows. Reasons and traces are made from steps, and only when somebody reads them.
enum Step: Sendable {
    case forcedFlag(variation: Int32)
    case invalidForcedFlag
    /// The walk turned to a rule. Not a reason, but the heading of a trace.
    case entered(rule: Int32)
    case forcedRule(rule: Int32, variation: Int32)
    case invalidForcedRule(rule: Int32)
    case notRunning(rule: Int32)
    case forcedVariation(rule: Int32, variation: Int32)
    case invalidForcedVariation(rule: Int32)
    case whitelisted(rule: Int32, variation: Int32)
    case invalidWhitelist(rule: Int32, variationKey: Symbol)
    case remembered(rule: Int32, variation: Int32)
    case audience(rule: Int32, truth: Truth)
    /// `traffic` is the row that the bucket fell into, or -1.
    case groupBucket(rule: Int32, bucket: Int32, traffic: Int32)
    case bucket(rule: Int32, bucket: Int32, traffic: Int32)
    case predictionGate(rule: Int32, bucket: Int32)
    /// The group or the gate keeps the user out of a contextual bandit.
    case outsidePredictionTraffic(rule: Int32)
    case predictionUnavailable(rule: Int32)
    case predicted(rule: Int32, variationID: String, uuid: String)
    case predictionFailed(rule: Int32)
    /// The end of a rule that let the user in: the variation, or -1.
    case assigned(rule: Int32, variation: Int32)
    case noExperiments
    case noRollout
    case unknownRollout
    case emptyRollout

    /// The row of the rule that the step is about, or nil: it is about the flag.
    var rule: Int32? {
        switch self {
        case .entered(let rule), .forcedRule(let rule, _), .invalidForcedRule(let rule), .notRunning(let rule),
            .forcedVariation(let rule, _), .invalidForcedVariation(let rule), .whitelisted(let rule, _),
            .invalidWhitelist(let rule, _), .remembered(let rule, _), .audience(let rule, _),
            .groupBucket(let rule, _, _), .bucket(let rule, _, _), .predictionGate(let rule, _),
            .outsidePredictionTraffic(let rule), .predictionUnavailable(let rule), .predicted(let rule, _, _),
            .predictionFailed(let rule),
            .assigned(let rule, _):
            rule
        case .forcedFlag, .invalidForcedFlag, .noExperiments, .noRollout, .unknownRollout, .emptyRollout: nil
        }
    }
}

/// Takes down the steps of a walk. Generic, so that a walk nobody wants to read compiles without a trace of it.
protocol StepRecorder {
    mutating func record(_ step: @autoclosure () -> Step)
}

/// Takes down nothing.
struct NoSteps: StepRecorder {
    /// Gives the value an address of its own. Values of no size share one, and ThreadSanitizer takes that for a race.
    private let place: UInt8 = 0

    @inline(__always)
    mutating func record(_ step: @autoclosure () -> Step) {}
}

/// Takes down every step.
struct StepList: StepRecorder {
    private(set) var steps: [Step] = []

    init() { steps.reserveCapacity(16) }

    mutating func record(_ step: @autoclosure () -> Step) { steps.append(step()) }
}

/// The steps of a decision, and for whom it was made.
final class DecisionRecord: Sendable {
    let user: User
    let steps: [Step]

    init(user: User, steps: [Step]) {
        self.user = user
        self.steps = steps
    }
}
