/// The decisions of several flags for one user, made together.
public struct DecisionBatch: Sendable {
    /// Every decision, in the order of the flags. Events and notifications are due for all of them.
    public private(set) var decisions: [Decision] = []
    /// What to remember, all flags together: variation ids by experiment id.
    public var assignments: [String: String] {
        var assignments: [String: String] = [:]
        for (experimentID, variationID) in fresh.compactMap(\.assignment) { assignments[experimentID] = variationID }
        return assignments
    }

    /// The decisions as they were made, if repeated flags were merged afterwards.
    private var unmerged: [Decision]?
    private var fresh: [Decision] { unmerged ?? decisions }

    private let options: DecideOptions

    init(options: DecideOptions, capacity: Int) {
        self.options = options
        decisions.reserveCapacity(capacity)
    }

    /// The decisions that the caller gets: with `enabledFlagsOnly` those that are on, and those for unknown flags.
    public var returned: [Decision] {
        guard options.contains(.enabledFlagsOnly) else { return decisions }
        return decisions.filter { $0.isEnabled || $0.stage == .flagNotFound }
    }

    /// What to ask for before all of these decisions can be made, each once; empty: they are made.
    public func predictionRequests(for user: User) -> [PredictionRequest] {
        var seen: Set<String> = []
        return decisions.compactMap { $0.predictionRequest(for: user) }.filter { seen.insert($0.ruleID).inserted }
    }

    mutating func append(_ decision: Decision) { decisions.append(decision) }

    /// Adds a decision, and what it assigns to the memory of the next.
    @inline(__always)
    mutating func append(_ decision: Decision, _ memory: inout Memory) {
        decisions.append(decision)
        guard decision.stage == .bucketed, let assignment = decision.assignment else { return }
        memory.profile.assignments[assignment.experimentID] = assignment.variationID
    }

    /// Gives all decisions for one flag the outcome of the last and the reasons of all, as the reference does.
    mutating func mergeRepeatedFlags() {
        guard hasRepeatedFlags else { return }
        unmerged = decisions
        var places: [String: [Int]] = [:]
        for (index, decision) in decisions.enumerated() where decision.flagRow >= 0 {
            places[decision.flagKey, default: []].append(index)
        }
        for indices in places.values where indices.count > 1 {
            guard let last = indices.last else { continue }
            var merged = decisions[last]
            let records = indices.compactMap { decisions[$0].record }
            if let user = records.first?.user {
                merged = merged.recorded(by: DecisionRecord(user: user, steps: records.flatMap(\.steps)))
            }
            for index in indices { decisions[index] = merged }
        }
    }

    private var hasRepeatedFlags: Bool {
        // Comparing a few rows with each other is faster than hashing them.
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
