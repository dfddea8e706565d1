/// Keeps the evaluation of an audience from going on for ever.
///
/// Audiences may name audiences, and so themselves; or each may name the next twice, which doubles the work with every
/// level. Datafiles with neither, which is all real ones, are evaluated without counting: the functions are generic
/// over their budget, and the unlimited one leaves nothing behind.
protocol EvaluationBudget {
    /// Whether one more audience may be entered.
    mutating func enter(_ extent: AudienceExtent) -> Bool
    mutating func leave(_ extent: AudienceExtent)
}

/// For datafiles of which every evaluation ends soon.
struct UnlimitedBudget: EvaluationBudget {
    /// Gives the value an address of its own; see ``NoSteps``.
    private let place: UInt8 = 0

    @inline(__always)
    mutating func enter(_ extent: AudienceExtent) -> Bool { true }
    @inline(__always)
    mutating func leave(_ extent: AudienceExtent) {}
}

/// For all others: what is too deep, or comes after too much work, is unknown.
struct LimitedBudget: EvaluationBudget {
    /// Conditions within conditions, all audiences together. Fits the smallest stacks that threads usually have.
    static let levels = 1_000
    /// Conditions that one evaluation may look at, about two milliseconds' worth.
    static let rows = 200_000

    private var remainingLevels = Self.levels
    private var remainingRows = Self.rows

    mutating func enter(_ extent: AudienceExtent) -> Bool {
        guard remainingLevels >= extent.levels, remainingRows >= extent.rows else { return false }
        remainingLevels -= extent.levels
        remainingRows -= extent.rows
        return true
    }

    mutating func leave(_ extent: AudienceExtent) { remainingLevels += extent.levels }
}

/// How much there is to a condition.
struct AudienceExtent: Sendable {
    /// The length of the longest way down.
    var levels = 1
    /// The number of conditions to look at, at most.
    var rows = 1

    /// Whether no budget could pay for it.
    var isTooLarge: Bool { levels > LimitedBudget.levels || rows > LimitedBudget.rows }

    /// Adds a condition that is looked at below this one.
    mutating func add(_ inner: AudienceExtent) {
        levels = min(levels + inner.levels, LimitedBudget.levels + 1)
        rows = min(rows + inner.rows, LimitedBudget.rows + 1)
    }
}
