/// Limits the evaluation of an audience.
///
/// Audiences can refer to audiences, and so to themselves; or each can refer to the next one twice, which doubles the
/// work with every level. Datafiles with neither, which includes all real ones, are evaluated without bookkeeping: the
/// functions are generic over their budget, and the unlimited one compiles to nothing.
protocol EvaluationBudget {
    /// Decides how to handle an audience that a condition refers to.
    mutating func enter(_ audience: Int, _ extent: AudienceExtent) -> AudienceEntry
    /// Records the result of an audience that was entered.
    mutating func leave(_ audience: Int, _ extent: AudienceExtent, _ truth: Truth)
}

/// How to handle an audience that a condition refers to.
enum AudienceEntry {
    case evaluate
    /// Use the result from earlier in the same evaluation.
    case known(Truth)
    /// Its result is unknown: it is already being evaluated, or nested too deeply.
    case refused
}

/// For datafiles in which every evaluation terminates quickly.
struct UnlimitedBudget: EvaluationBudget {
    /// Gives the value its own address; see ``NoSteps``.
    private let place: UInt8 = 0

    @inline(__always)
    mutating func enter(_ audience: Int, _ extent: AudienceExtent) -> AudienceEntry { .evaluate }
    @inline(__always)
    mutating func leave(_ audience: Int, _ extent: AudienceExtent, _ truth: Truth) {}
}

/// For all other datafiles: each audience is evaluated once per evaluation and its result is reused, so the size of the
/// datafile bounds the work.
struct LimitedBudget: EvaluationBudget {
    private var remainingLevels = AudienceExtent.maximumLevels
    /// The results of audiences; nil while an audience is being evaluated.
    private var answers: [Int: Truth?] = [:]

    mutating func enter(_ audience: Int, _ extent: AudienceExtent) -> AudienceEntry {
        if let answer = answers[audience] { return answer.map { .known($0) } ?? .refused }
        guard remainingLevels >= extent.levels else { return .refused }
        remainingLevels -= extent.levels
        answers[audience] = .some(nil)
        return .evaluate
    }

    mutating func leave(_ audience: Int, _ extent: AudienceExtent, _ truth: Truth) {
        remainingLevels += extent.levels
        answers[audience] = truth
    }
}
