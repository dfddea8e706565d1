/// The result of a condition: met, not met, or unknown because a value was missing or of the wrong type.
enum Truth: Equatable {
    case yes, no
    /// The row of the condition that could not be evaluated.
    case unknown(Int32)

    @inline(__always)
    init(_ isMet: Bool) { self = isMet ? .yes : .no }
}

/// Evaluates the conditions of a project's audiences. Conditions on attributes are in `LeafEvaluation.swift`.
struct AudienceEvaluator {
    let project: Project

    /// Evaluates the condition at `row` and everything below it.
    ///
    /// Operators evaluate their operands from left to right and stop as soon as the result is known.
    func truth(of row: Int, for user: User) -> Truth {
        guard project.tables.audiencesNeedBudget else {
            var budget = UnlimitedBudget()
            return truth(of: row, for: user, &budget)
        }
        var budget = LimitedBudget()
        return truth(of: row, for: user, &budget)
    }

    private func truth<Budget: EvaluationBudget>(
        of row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        let row = Int(project.tables.conditions[row].answer)
        switch project.tables.conditions[row].kind {
        case .leaf: return truthOfLeaf(row, for: user)
        case .or: return truthOfOr(row, for: user, &budget)
        case .and: return truthOfAnd(row, for: user, &budget)
        case .not: return truthOfNot(row, for: user, &budget)
        case .audience: return truthOfAudience(row, for: user, &budget)
        case .missingAudience, .strayOperator, .emptyList, .nestedFirst: return .unknown(Int32(row))
        }
    }

    /// Out of line to keep the stack frames of the recursive functions small: most conditions are leaves.
    @inline(never)
    private func truthOfLeaf(_ row: Int, for user: User) -> Truth {
        switch answer(leaf: Int(project.tables.conditions[row].operand), for: user) {
        case .yes: .yes
        case .no: .no
        case .unknown: .unknown(Int32(row))
        }
    }

    @inline(__always)
    private func truthOfOperand<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        let answer = Int(project.tables.conditions[row].answer)
        return project.tables.conditions[answer].kind == .leaf
            ? truthOfLeaf(answer, for: user) : truth(of: answer, for: user, &budget)
    }

    private func truthOfAudience<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        let audience = Int(project.tables.conditions[row].operand)
        let extent = project.tables.audiences[audience].extent
        switch budget.enter(audience, extent) {
        case .known(let truth): return truth
        case .refused: return .unknown(Int32(row))
        case .evaluate:
            let truth = truth(of: Int(project.tables.audiences[audience].condition), for: user, &budget)
            budget.leave(audience, extent, truth)
            return truth
        }
    }

    /// Reports the last unknown operand.
    private func truthOfOr<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        var result = Truth.no
        var child = row + 1
        let end = Int(project.tables.conditions[row].end)
        while child < end {
            switch truthOfOperand(child, for: user, &budget) {
            case .yes: return .yes
            case .no: break
            case .unknown(let cause): result = .unknown(cause)
            }
            child = Int(project.tables.conditions[child].end)
        }
        return result
    }

    /// Stops at the first unknown operand, although a later one might be false and settle the result.
    ///
    /// The reference does so, and it is visible under a "not"; three-valued logic would continue here.
    private func truthOfAnd<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        var child = row + 1
        let end = Int(project.tables.conditions[row].end)
        guard child < end else { return .unknown(Int32(row)) }
        while child < end {
            let operand = truthOfOperand(child, for: user, &budget)
            guard operand == .yes else { return operand }
            child = Int(project.tables.conditions[child].end)
        }
        return .yes
    }

    /// Only the first operand counts.
    private func truthOfNot<Budget: EvaluationBudget>(
        _ row: Int, for user: User, _ budget: inout Budget
    ) -> Truth {
        guard row + 1 < Int(project.tables.conditions[row].end) else { return .unknown(Int32(row)) }
        switch truthOfOperand(row + 1, for: user, &budget) {
        case .yes: return .no
        case .no: return .yes
        case .unknown(let cause): return .unknown(cause)
        }
    }
}
