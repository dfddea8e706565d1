/// The decisions for several flags of one user.
public struct DecisionBatch: Sendable {
    /// Every decision, in the order of the flags. Events and notifications are due for all of them.
    public private(set) var decisions: [Decision] = []
    /// The assignments to store for all flags: variation ids by experiment id.
    public var assignments: [String: String] {
        var assignments: [String: String] = [:]
        for (experimentID, variationID) in fresh.compactMap(\.assignment) { assignments[experimentID] = variationID }
        return assignments
    }

    /// The original decisions, if those of repeated flags were merged afterwards.
    private var unmerged: [Decision]?
    private var fresh: [Decision] { unmerged ?? decisions }

    private let options: DecideOptions

    init(options: DecideOptions, capacity: Int) {
        self.options = options
        decisions.reserveCapacity(capacity)
    }

    /// The decisions to return, one for each flag: with `enabledFlagsOnly` only enabled flags and unknown flags.
    public var selected: [Decision] {
        guard options.contains(.enabledFlagsOnly) else { return distinct }
        return distinct.filter { $0.isEnabled || $0.stage == .flagNotFound }
    }

    /// The decisions without repetitions: the last one for each flag, at the place of the first.
    private var distinct: [Decision] {
        guard unmerged != nil else { return decisions }
        var places: [Int32: Int] = [:]
        var distinct: [Decision] = []
        for decision in decisions {
            if decision.flagRow >= 0, let place = places[decision.flagRow] {
                distinct[place] = decision
            } else {
                places[decision.flagRow] = distinct.count
                distinct.append(decision)
            }
        }
        return distinct
    }

    /// The predictions that these decisions need, without duplicates; empty if they need none.
    public func predictionRequests(for user: User) -> [PredictionRequest] {
        var seen: Set<String> = []
        return decisions.compactMap { $0.predictionRequest(for: user) }.filter { seen.insert($0.ruleID).inserted }
    }

    mutating func append(_ decision: Decision) { decisions.append(decision) }

    /// Adds a decision, and makes its assignment available to the next one.
    @inline(__always)
    mutating func append(_ decision: Decision, _ inputs: inout DecisionInputs) {
        decisions.append(decision)
        guard decision.stage == .bucketed, let assignment = decision.assignment else { return }
        inputs.profile.assignments[assignment.experimentID] = assignment.variationID
    }

    /// Gives all decisions for a flag the outcome of the last and the reasons of all, as the reference does: it checks
    /// the flag's forced decision once, and adds the errors of variables again with each repetition.
    mutating func mergeRepeatedFlags(of user: User) {
        guard hasRepeatedFlags else { return }
        unmerged = decisions
        var places: [Int32: [Int]] = [:]
        for (index, decision) in decisions.enumerated() where decision.flagRow >= 0 {
            places[decision.flagRow, default: []].append(index)
        }
        for indices in places.values where indices.count > 1 {
            guard let last = indices.last.map({ decisions[$0] }) else { continue }
            let steps = indices.enumerated().flatMap { number, index in
                (decisions[index].record?.steps ?? []).filter { number == 0 || !$0.isForcedFlag }
            }
            for (number, index) in indices.enumerated() {
                let errorCount = last.stage == .predictionFailed ? indices.count : number + 1
                decisions[index] = last.recorded(
                    by: DecisionRecord(user: user, steps: steps, errorCount: errorCount))
            }
        }
    }

    private var hasRepeatedFlags: Bool {
        // Comparing a few rows pairwise is faster than hashing them.
        guard decisions.count > 32 else {
            return decisions.indices.contains { index in
                let row = decisions[index].flagRow
                return row >= 0 && decisions[..<index].contains { $0.flagRow == row }
            }
        }
        let rows = decisions.lazy.map(\.flagRow).filter { $0 >= 0 }
        return Set(rows).count < rows.count
    }
}
