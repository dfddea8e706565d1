import TurnoutEngine
package import TurnoutRollouts

/// The users per variant of one experiment, before and after an edit.
package struct RolloutCount {
    package typealias Entry = RolloutConfiguration.Entry

    /// A change of variant; nil for the default of the code.
    package struct Move: Hashable {
        package let from: String?
        package let to: String?

        package init(from: String?, to: String?) {
            self.from = from
            self.to = to
        }
    }

    /// The users of a move.
    package struct Movers {
        package var count = 0
        /// The range of their draws.
        package var draws: ClosedRange<Double>
    }

    let before: Entry?
    let after: Entry?
    let users: Int
    /// Users by variant before the edit; nil for the default of the code.
    package private(set) var usersBefore: [String?: Int] = [:]
    /// The same users after it.
    package private(set) var usersAfter: [String?: Int] = [:]
    /// The same number of users, first seen after the edit.
    package private(set) var newUsers: [String?: Int] = [:]
    package private(set) var movers: [Move: Movers] = [:]

    /// The country and language of all users, before and after the edit.
    package let user: RolloutUser

    /// Decides for users that differ only in their draws. The default country and language are admitted by the filters
    /// before the edit and, if possible, not by those after it.
    package init(before: Entry?, after: Entry?, users: Int, country: String?, language: String?) {
        (self.before, self.after, self.users) = (before, after, users)
        let (filters, later) = (before?.experiment ?? after?.experiment, after?.experiment)
        user = RolloutUser(
            language: language ?? Self.first(of: filters?.languages, without: later?.languages),
            country: country ?? Self.first(of: filters?.countries, without: later?.countries))
        for user in 0..<users {
            // Pseudorandom, and the same in each run.
            let hash = Bucketing(bucketingID: "\(user)").hash(entityID: "turnout rollout")
            let number = RolloutDraw.number(from: UInt64(hash) << 32)
            let known = draw(nil, before, number)
            let draw = draw(known, after, number)
            usersBefore[known?.variant, default: 0] += 1
            usersAfter[draw?.variant, default: 0] += 1
            newUsers[self.draw(nil, after, number)?.variant, default: 0] += 1
            if known?.variant != draw?.variant { add(number, Move(from: known?.variant, to: draw?.variant)) }
        }
    }

    private static func first(of list: Set<String>?, without others: Set<String>?) -> String? {
        list.flatMap { $0.subtracting(others ?? $0).min() ?? $0.min() }
    }

    private mutating func add(_ number: Double, _ move: Move) {
        var those = movers[move] ?? Movers(draws: number...number)
        those.count += 1
        those.draws = min(those.draws.lowerBound, number)...max(those.draws.upperBound, number)
        movers[move] = those
    }

    private func draw(_ known: RolloutDraw?, _ entry: Entry?, _ number: Double) -> RolloutDraw? {
        guard case .usable(let experiment)? = entry else { return nil }
        return experiment.admits(user) ? experiment.decide(known) { number } : nil
    }
}

extension RolloutConfiguration.Entry {
    var experiment: RolloutExperiment? { if case .usable(let experiment) = self { experiment } else { nil } }
}
