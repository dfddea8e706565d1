package import TurnoutFlags

/// Adds up the outcomes of a rule.
///
/// A conversion counts for the variation that the visitor got last before it. A visitor who got several variations in
/// turn counts as a user of each of them.
package struct OutcomeTally {
    private let variationIDs: [String]
    private let aggregation: ExperimentMetric.Aggregation
    private var arms: [ArmStatistics]
    private var visitor: Int64?
    /// The values of the current visitor's arms; nil for those that the visitor did not get.
    private var values: [Double?]
    private var currentArm: Int?

    /// Prepares the sums of a rule's variations.
    package init(_ variationIDs: [String], _ aggregation: ExperimentMetric.Aggregation) {
        self.variationIDs = variationIDs
        self.aggregation = aggregation
        arms = variationIDs.map { _ in ArmStatistics() }
        values = variationIDs.map { _ in nil }
    }

    /// Adds an outcome. All outcomes of a visitor come one after another, the earliest first.
    package mutating func add(_ outcome: RuleOutcome) {
        if outcome.visitor != visitor { endVisitor() }
        visitor = outcome.visitor
        switch outcome.kind {
        case .exposure(let variationID):
            currentArm = variationIDs.firstIndex(of: variationID)
            if let currentArm, values[currentArm] == nil { values[currentArm] = 0 }
        case .conversion(let revenue, let value):
            guard let currentArm, let sum = values[currentArm] else { return }
            values[currentArm] =
                switch aggregation {
                case .unique: 1
                case .total: sum + 1
                // Project files and settings refuse a bandit whose metric is a mean over events.
                case .revenue, .revenuePerConversion: sum + Self.amount(Double(revenue ?? 0))
                case .value, .valuePerConversion: sum + Self.amount(value ?? 0)
                }
        }
    }

    /// A number as it is counted: one beyond a million millions is a mistake, and would outweigh all others.
    private static func amount(_ value: Double) -> Double { abs(value) <= 1e12 ? value : 0 }

    private mutating func endVisitor() {
        for index in values.indices {
            if let value = values[index] { arms[index].add(value) }
            values[index] = nil
        }
        currentArm = nil
    }

    /// The statistics of all variations, in their order.
    package mutating func finish() -> [ArmStatistics] {
        endVisitor()
        return arms
    }
}

/// The statistics of an arm of a bandit: a variation, and how users did after they got it.
package struct ArmStatistics: Sendable, Equatable {
    /// The users who got the variation.
    package private(set) var users = 0
    /// The mean of the users' values.
    package private(set) var mean = 0.0
    /// The sum of the squared differences from ``mean``.
    package private(set) var squares = 0.0

    package init() {}

    /// Restores the statistics of some users.
    init(users: Int, mean: Double, variance: Double) {
        (self.users, self.mean, squares) = (users, mean, variance * Double(max(0, users - 1)))
    }

    /// Adds a user with a value: 1 or 0 for a conversion, otherwise a number or a sum.
    ///
    /// The mean and the squares are updated as B. P. Welford describes: *Note on a Method for Calculating Corrected
    /// Sums of Squares and Products*, Technometrics 4 (1962), page 419.
    package mutating func add(_ value: Double) {
        users += 1
        let difference = value - mean
        mean += difference / Double(users)
        squares += difference * (value - mean)
    }

    /// The variance of the users' values; 0 with fewer than two users.
    package var variance: Double { users > 1 ? squares / Double(users - 1) : 0 }

    /// The statistics of the users of both.
    static func + (left: ArmStatistics, right: ArmStatistics) -> ArmStatistics {
        guard left.users > 0 else { return right }
        guard right.users > 0 else { return left }
        var sum = ArmStatistics()
        sum.users = left.users + right.users
        let difference = right.mean - left.mean
        let share = Double(right.users) / Double(sum.users)
        sum.mean = left.mean + difference * share
        sum.squares = left.squares + right.squares + difference * difference * Double(left.users) * share
        return sum
    }
}
