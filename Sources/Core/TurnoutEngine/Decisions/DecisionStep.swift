/// One step of a decision, in rows. Reasons and traces are created from steps on demand.
enum DecisionStep: Sendable {
    case forcedFlag(variation: Int32)
    case invalidForcedFlag
    /// The evaluation of a rule starts. Not a reason, but the heading of a trace.
    case entered(rule: Int32)
    case forcedRule(rule: Int32, variation: Int32)
    case invalidForcedRule(rule: Int32)
    case notRunning(rule: Int32)
    case forcedVariation(rule: Int32, variation: Int32)
    case invalidForcedVariation(rule: Int32)
    case whitelisted(rule: Int32, variation: Int32)
    case invalidWhitelist(rule: Int32, variationKey: Symbol)
    case storedAssignment(rule: Int32, variation: Int32)
    case audience(rule: Int32, truth: Truth)
    /// `traffic` is the row that the bucket is in, or -1.
    case groupBucket(rule: Int32, bucket: Int32, traffic: Int32)
    case bucket(rule: Int32, bucket: Int32, traffic: Int32)
    case predictionGate(rule: Int32, bucket: Int32)
    /// The group or the traffic limit keeps the user out of a contextual bandit.
    case outsidePredictionTraffic(rule: Int32)
    case predictionUnavailable(rule: Int32)
    case predicted(rule: Int32, variationID: String, uuid: String)
    case predictionFailed(rule: Int32)
    /// The end of a rule that admitted the user: the variation, or -1.
    case assigned(rule: Int32, variation: Int32)
    case noExperiments
    case noRollout
    case unknownRollout
    case emptyRollout

    /// Whether the step is about the forced decision for the whole flag.
    var isForcedFlag: Bool {
        switch self {
        case .forcedFlag, .invalidForcedFlag: true
        default: false
        }
    }

    /// The row of the step's rule, or nil if the step is about the flag.
    var rule: Int32? {
        switch self {
        case .entered(let rule), .forcedRule(let rule, _), .invalidForcedRule(let rule), .notRunning(let rule),
            .forcedVariation(let rule, _), .invalidForcedVariation(let rule), .whitelisted(let rule, _),
            .invalidWhitelist(let rule, _), .storedAssignment(let rule, _), .audience(let rule, _),
            .groupBucket(let rule, _, _), .bucket(let rule, _, _), .predictionGate(let rule, _),
            .outsidePredictionTraffic(let rule), .predictionUnavailable(let rule), .predicted(let rule, _, _),
            .predictionFailed(let rule),
            .assigned(let rule, _):
            rule
        case .forcedFlag, .invalidForcedFlag, .noExperiments, .noRollout, .unknownRollout, .emptyRollout: nil
        }
    }
}

/// Records the steps of a decision. Evaluation is generic over the recorder: without reasons, recording compiles to
/// nothing.
protocol StepRecorder {
    mutating func record(_ step: @autoclosure () -> DecisionStep)
}

struct NoSteps: StepRecorder {
    /// Gives the value its own address. Zero-sized values share one, which ThreadSanitizer reports as a race.
    private let place: UInt8 = 0

    @inline(__always)
    mutating func record(_ step: @autoclosure () -> DecisionStep) {}
}

struct StepList: StepRecorder {
    private(set) var steps: [DecisionStep] = []

    init() { steps.reserveCapacity(16) }

    mutating func record(_ step: @autoclosure () -> DecisionStep) { steps.append(step()) }
}

/// The steps of a decision, and its user.
final class DecisionRecord: Sendable {
    let user: User
    let steps: [DecisionStep]
    /// How often the decision's errors are reported: more than once if its flag was repeated.
    let errorCount: Int

    init(user: User, steps: [DecisionStep], errorCount: Int = 1) {
        self.user = user
        self.steps = steps
        self.errorCount = errorCount
    }
}
