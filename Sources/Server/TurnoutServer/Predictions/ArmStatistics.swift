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
