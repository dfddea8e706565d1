/// The answer of a condition: met, not met, or unknown because something was missing or of the wrong type.
enum Truth: Equatable {
    case yes, no
    /// The row of the condition that could not be answered.
    case unknown(Int32)

    @inline(__always)
    init(_ isMet: Bool) { self = isMet ? .yes : .no }
}

extension Project {
    /// Evaluates the condition at `row` with everything below it.
    ///
    /// Operators look at their operands from left to right and stop as soon as they can.
    func truth(of row: Int, for user: User) -> Truth {
        guard tables.audiencesNeedBudget else {
            var budget = UnlimitedBudget()
            return truth(of: row, for: user, &budget)
        }
        var budget = LimitedBudget()
        return truth(of: row, for: user, &budget)
    }

    private func truth<Budget: EvaluationBudget>(
        of row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        let row = Int(tables.conditions[row].answer)
        switch tables.conditions[row].kind {
        case .leaf: return truthOfLeaf(row, for: user)
        case .or: return truthOfOr(row, for: user, &budget)
        case .and: return truthOfAnd(row, for: user, &budget)
        case .not: return truthOfNot(row, for: user, &budget)
        case .audience: return truthOfAudience(row, for: user, &budget)
        case .missingAudience, .strayOperator, .emptyList, .nestedFirst: return .unknown(Int32(row))
        }
    }

    /// Kept out of line, so that the functions that call themselves stay small: most conditions are leaves.
    @inline(never)
    private func truthOfLeaf(_ row: Int, for user: User) -> Truth {
        switch answer(leaf: Int(tables.conditions[row].operand), for: user) {
        case .yes: .yes
        case .no: .no
        case .unknown: .unknown(Int32(row))
        }
    }

    @inline(__always)
    private func truthOfOperand<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        let answer = Int(tables.conditions[row].answer)
        return tables.conditions[answer].kind == .leaf
            ? truthOfLeaf(answer, for: user) : truth(of: answer, for: user, &budget)
    }

    private func truthOfAudience<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        let audience = Int(tables.conditions[row].operand)
        let extent = tables.audiences[audience].extent
        guard budget.enter(extent) else { return .unknown(Int32(row)) }
        defer { budget.leave(extent) }
        return truth(of: Int(tables.audiences[audience].condition), for: user, &budget)
    }

    /// The last unknown operand is the one that is reported.
    private func truthOfOr<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        var result = Truth.no
        var child = row + 1
        let end = Int(tables.conditions[row].end)
        while child < end {
            switch truthOfOperand(child, for: user, &budget) {
            case .yes: return .yes
            case .no: break
            case .unknown(let cause): result = .unknown(cause)
            }
            child = Int(tables.conditions[child].end)
        }
        return result
    }

    /// Stops at the first operand that is unknown, although a later one might be false and decide the matter.
    ///
    /// The reference does so, and it shows under a "not"; a rule in three-valued logic would go on here.
    private func truthOfAnd<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        var child = row + 1
        let end = Int(tables.conditions[row].end)
        guard child < end else { return .unknown(Int32(row)) }
        while child < end {
            let operand = truthOfOperand(child, for: user, &budget)
            guard operand == .yes else { return operand }
            child = Int(tables.conditions[child].end)
        }
        return .yes
    }

    /// Only the first operand counts.
    private func truthOfNot<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        guard row + 1 < Int(tables.conditions[row].end) else { return .unknown(Int32(row)) }
        switch truthOfOperand(row + 1, for: user, &budget) {
        case .yes: return .no
        case .no: return .yes
        case .unknown(let cause): return .unknown(cause)
        }
    }
}
