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
        let condition = tables.conditions[row]
        switch condition.kind {
        case .leaf:
            switch answer(leaf: Int(condition.operand), for: user) {
            case .yes: return .yes
            case .no: return .no
            case .unknown: return .unknown(Int32(row))
            }
        case .audience: return truth(of: Int(tables.audiences[Int(condition.operand)].condition), for: user)
        case .or: return truthOfOr(row, end: Int(condition.end), for: user)
        case .and: return truthOfAnd(row, end: Int(condition.end), for: user)
        case .not: return truthOfNot(row, end: Int(condition.end), for: user)
        case .missingAudience, .endlessAudience, .strayOperator, .emptyList, .nestedFirst: return .unknown(Int32(row))
        }
    }

    /// The last unknown operand is the one that is reported.
    private func truthOfOr(_ row: Int, end: Int, for user: User) -> Truth {
        var result = Truth.no
        var child = row + 1
        while child < end {
            switch truth(of: child, for: user) {
            case .yes: return .yes
            case .no: break
            case .unknown(let cause): result = .unknown(cause)
            }
            child = Int(tables.conditions[child].end)
        }
        return result
    }

    /// Stops at the first operand that is unknown, although a later one might be false and decide the matter. The
    /// reference does so, and it shows under a "not"; a rule in three-valued logic would go on here.
    private func truthOfAnd(_ row: Int, end: Int, for user: User) -> Truth {
        var child = row + 1
        guard child < end else { return .unknown(Int32(row)) }
        while child < end {
            let operand = truth(of: child, for: user)
            guard operand == .yes else { return operand }
            child = Int(tables.conditions[child].end)
        }
        return .yes
    }

    /// Only the first operand counts.
    private func truthOfNot(_ row: Int, end: Int, for user: User) -> Truth {
        guard row + 1 < end else { return .unknown(Int32(row)) }
        switch truth(of: row + 1, for: user) {
        case .yes: return .no
        case .no: return .yes
        case .unknown(let cause): return .unknown(cause)
        }
    }
}
