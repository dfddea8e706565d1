/// The evaluation of a condition and everything below it.
public struct AudienceTrace: Sendable, Equatable {
    /// The condition.
    public let condition: Condition
    /// The result.
    public let answer: Answer
    /// The operands, in order. Those after the one that settled the result were skipped. Left out below a hundred
    /// levels or after a thousand conditions.
    public let operands: [AudienceTrace]

    /// A condition.
    public enum Condition: Sendable, Equatable {
        /// Everyone.
        case everyone
        /// All operands must be met.
        case all
        /// One operand must be met.
        case any
        /// The first operand must not be met.
        case not
        /// The only operand is the condition of this audience.
        case audience(id: String, name: String)
        /// A comparison. `expected` is the datafile's value as JSON, `actual` the user's as Swift prints it, or nil.
        case attribute(name: String?, match: String, expected: String?, actual: String?)
        /// A condition that is never met, and why.
        case never(String)
    }

    /// The result of a condition.
    public enum Answer: Sendable, Equatable {
        /// Met.
        case yes
        /// Not met.
        case no
        /// Unknown, and therefore not met.
        case unknown(UnknownCause)
        /// Not evaluated, because the parent's result was already settled.
        case skipped
    }
}

extension AudienceExplainer {
    /// The trace of the condition at a row; -1 is everyone.
    func trace(_ row: Int32) -> AudienceTrace {
        guard row >= 0 else { return AudienceTrace(condition: .everyone, answer: .yes, operands: []) }
        // Every condition in the trace is evaluated again, which is expensive if single evaluations are.
        var budget = TraceBudget(conditions: project.tables.audiencesNeedBudget ? 20 : 1_000)
        return trace(Int(row), isReached: true, &budget)
    }

    private func trace(_ row: Int, isReached: Bool, _ budget: inout TraceBudget) -> AudienceTrace {
        let condition = project.tables.conditions[row]
        var operands: [AudienceTrace] = []
        if budget.enter() {
            if condition.kind != .audience {
                operands = self.operands(of: row, isReached: isReached, &budget)
            } else if isReached {
                // Skipped audiences are not expanded either, since audiences may contain audiences.
                let inner = Int(project.tables.audiences[Int(condition.operand)].condition)
                operands = [trace(inner, isReached: true, &budget)]
            }
            budget.leave()
        }
        return AudienceTrace(
            condition: traceCondition(row), answer: isReached ? answer(at: row) : .skipped,
            operands: operands)
    }

    /// Follows the evaluation's short-circuit rules.
    private func operands(
        of row: Int, isReached: Bool, _ budget: inout TraceBudget
    ) -> [AudienceTrace] {
        let kind = project.tables.conditions[row].kind
        guard kind == .and || kind == .or || kind == .not else { return [] }
        var operands: [AudienceTrace] = []
        var isReached = isReached
        for child in project.operandRows(of: Int32(row)) {
            operands.append(trace(Int(child), isReached: isReached, &budget))
            switch (kind, operands[operands.count - 1].answer) {
            case (.or, .yes), (.not, _), (.and, .no), (.and, .unknown): isReached = false
            default: break
            }
        }
        return operands
    }

    private func answer(at row: Int) -> AudienceTrace.Answer {
        switch AudienceEvaluator(project: project).truth(of: row, for: user) {
        case .yes: .yes
        case .no: .no
        case .unknown(let cause): .unknown(self.cause(at: Int(cause)))
        }
    }

    private func traceCondition(_ row: Int) -> AudienceTrace.Condition {
        switch project.tables.conditions[row].kind {
        case .and: return .all
        case .or: return .any
        case .not: return .not
        default: break
        }
        switch project.audienceCondition(Int32(row)) {
        case .audience(let id, let name): return .audience(id: id, name: name)
        case .never(let reason): return .never(reason)
        case .attribute(let name, "qualified", let value):
            let segments = "segments [\(user.segments.sorted().joined(separator: ", "))]"
            return .attribute(name: name, match: "qualified", expected: value, actual: segments)
        case .attribute(let name, let match, let value):
            let actual = name.flatMap { user.attributes[$0] }?.debugText
            return .attribute(name: name, match: match, expected: value, actual: actual)
        default: return .everyone
        }
    }
}

/// The remaining size of a trace: it must stay readable, and audiences that refer to themselves are infinite.
private struct TraceBudget {
    private var levels = 100
    private var conditions: Int

    init(conditions: Int) { self.conditions = conditions }

    /// Whether to expand the next condition.
    mutating func enter() -> Bool {
        guard levels > 0, conditions > 0 else { return false }
        levels -= 1
        conditions -= 1
        return true
    }

    mutating func leave() { levels += 1 }
}
