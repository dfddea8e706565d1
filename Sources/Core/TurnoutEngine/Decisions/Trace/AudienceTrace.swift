/// How a condition on users was answered, with everything below it.
public struct AudienceTrace: Sendable, Equatable {
    /// What the condition is.
    public let condition: Condition
    /// The answer.
    public let answer: Answer
    /// The conditions below, in order. Those after the one that settled the answer were skipped. Left out below
    /// a hundred levels or after a thousand conditions.
    public let operands: [AudienceTrace]

    /// What a condition is.
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
        /// A comparison. `expected` is the datafile's value as JSON, `actual` the user's as Swift prints it; nil: none.
        case attribute(name: String?, match: String, expected: String?, actual: String?)
        /// A condition that cannot be met, and why.
        case never(String)
    }

    /// The answer of a condition.
    public enum Answer: Sendable, Equatable {
        /// Met.
        case yes
        /// Not met.
        case no
        /// Not known, and therefore not met.
        case unknown(UnknownCause)
        /// Not looked at, because the answer above was settled already.
        case skipped
    }
}

extension Project {
    /// The trace of the condition at a row; -1 is everyone.
    func audienceTrace(_ row: Int32, for user: User) -> AudienceTrace {
        guard row >= 0 else { return AudienceTrace(condition: .everyone, answer: .yes, operands: []) }
        // Every condition that is shown is answered anew, which is dear where answers are.
        var room = TraceRoom(conditions: tables.audiencesNeedBudget ? 20 : 1_000)
        return audienceTrace(Int(row), for: user, isReached: true, &room)
    }

    private func audienceTrace(_ row: Int, for user: User, isReached: Bool, _ room: inout TraceRoom) -> AudienceTrace {
        let condition = tables.conditions[row]
        var operands: [AudienceTrace] = []
        if room.enter() {
            if condition.kind != .audience {
                operands = self.operands(of: row, for: user, isReached: isReached, &room)
            } else if isReached {
                // What was not looked at is not unfolded either: audiences may hold audiences.
                let inner = Int(tables.audiences[Int(condition.operand)].condition)
                operands = [audienceTrace(inner, for: user, isReached: true, &room)]
            }
            room.leave()
        }
        return AudienceTrace(
            condition: traceCondition(row, for: user), answer: isReached ? answer(at: row, for: user) : .skipped,
            operands: operands)
    }

    /// Follows the evaluation's rules for when to stop.
    private func operands(
        of row: Int, for user: User, isReached: Bool, _ room: inout TraceRoom
    ) -> [AudienceTrace] {
        let kind = tables.conditions[row].kind
        guard kind == .and || kind == .or || kind == .not else { return [] }
        var operands: [AudienceTrace] = []
        var isReached = isReached
        var child = row + 1
        while child < tables.conditions[row].end {
            operands.append(audienceTrace(child, for: user, isReached: isReached, &room))
            switch (kind, operands[operands.count - 1].answer) {
            case (.or, .yes), (.not, _), (.and, .no), (.and, .unknown): isReached = false
            default: break
            }
            child = Int(tables.conditions[child].end)
        }
        return operands
    }

    private func answer(at row: Int, for user: User) -> AudienceTrace.Answer {
        switch truth(of: row, for: user) {
        case .yes: .yes
        case .no: .no
        case .unknown(let cause): .unknown(unknownCause(at: Int(cause), for: user))
        }
    }

    private func traceCondition(_ row: Int, for user: User) -> AudienceTrace.Condition {
        switch tables.conditions[row].kind {
        case .and: return .all
        case .or: return .any
        case .not: return .not
        default: break
        }
        switch audienceCondition(Int32(row)) {
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

/// How much of an audience a trace shows: nobody reads more, and audiences that name themselves have no end.
private struct TraceRoom {
    private var levels = 100
    private var conditions: Int

    init(conditions: Int) { self.conditions = conditions }

    /// Whether what is below the next condition is shown.
    mutating func enter() -> Bool {
        guard levels > 0, conditions > 0 else { return false }
        levels -= 1
        conditions -= 1
        return true
    }

    mutating func leave() { levels += 1 }
}
