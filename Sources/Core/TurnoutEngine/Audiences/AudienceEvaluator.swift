/// The result of a condition: met, not met, or unknown because a value was missing or of the wrong type.
enum Truth: Equatable {
    case yes, no
    /// The row of the condition that could not be evaluated.
    case unknown(Int32)

    @inline(__always)
    init(_ isMet: Bool) { self = isMet ? .yes : .no }
}

/// Evaluates the conditions of a project's audiences.
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

/// Limits the evaluation of an audience.
///
/// Audiences can refer to audiences, and so to themselves; or each can refer to the next one twice, which doubles the
/// work with every level. Datafiles with neither, which includes all real ones, are evaluated without bookkeeping: the
/// functions are generic over their budget, and the unlimited one compiles to nothing.
protocol EvaluationBudget {
    /// Decides how to handle an audience that a condition refers to.
    mutating func enter(_ audience: Int, _ extent: AudienceExtent) -> AudienceEntry
    /// Records the result of an audience that was entered.
    mutating func leave(_ audience: Int, _ extent: AudienceExtent, _ truth: Truth)
}

/// How to handle an audience that a condition refers to.
enum AudienceEntry {
    case evaluate
    /// Use the result from earlier in the same evaluation.
    case known(Truth)
    /// Its result is unknown: it is already being evaluated, or nested too deeply.
    case refused
}

/// For datafiles in which every evaluation terminates quickly.
struct UnlimitedBudget: EvaluationBudget {
    /// Gives the value its own address; see ``NoSteps``.
    private let place: UInt8 = 0

    @inline(__always)
    mutating func enter(_ audience: Int, _ extent: AudienceExtent) -> AudienceEntry { .evaluate }
    @inline(__always)
    mutating func leave(_ audience: Int, _ extent: AudienceExtent, _ truth: Truth) {}
}

/// For all other datafiles: each audience is evaluated once per evaluation and its result is reused, so the size of the
/// datafile bounds the work.
struct LimitedBudget: EvaluationBudget {
    private var remainingLevels = AudienceExtent.maximumLevels
    /// The results of audiences; nil while an audience is being evaluated.
    private var answers: [Int: Truth?] = [:]

    mutating func enter(_ audience: Int, _ extent: AudienceExtent) -> AudienceEntry {
        if let answer = answers[audience] { return answer.map { .known($0) } ?? .refused }
        guard remainingLevels >= extent.levels else { return .refused }
        remainingLevels -= extent.levels
        answers[audience] = .some(nil)
        return .evaluate
    }

    mutating func leave(_ audience: Int, _ extent: AudienceExtent, _ truth: Truth) {
        remainingLevels += extent.levels
        answers[audience] = truth
    }
}

/// The result of a condition on one attribute.
enum LeafAnswer: Equatable {
    case yes, no
    case unknown(UnknownCause)

    @inline(__always)
    init(_ isMet: Bool) { self = isMet ? .yes : .no }
}

extension AudienceEvaluator {
    /// Evaluates a condition on an attribute, in the reference's order of checks.
    @inline(__always)
    func answer(leaf row: Int, for user: User) -> LeafAnswer {
        let test = project.tables.leaves[row].test
        guard test.looksAtAttribute else { return answerWithoutAttribute(test, row, user) }
        let value = user.attributes.value(hash: project.tables.leaves[row].nameHash) {
            $0.hasSameBytes(as: project.text(project.tables.leaves[row].name))
        }
        guard let value else { return test == .exists ? .no : .unknown(.missingAttribute) }
        switch (test, value) {
        case (.equalString, .string(let value)):
            return LeafAnswer(value.isEquivalent(to: project.text(project.tables.leaves[row].text)))
        case (.equalBool, .bool(let value)): return LeafAnswer(value == project.tables.leaves[row].bool)
        case (.exists, _): return LeafAnswer(value.exists)
        default: return compare(value, leaf: row)
        }
    }

    private func answerWithoutAttribute(_ test: LeafRow.Test, _ row: Int, _ user: User) -> LeafAnswer {
        switch test {
        case .unknownType: .unknown(.unknownConditionType)
        case .unknownMatch: .unknown(.unknownMatchType)
        case .missingName: .unknown(.missingAttributeName)
        case .nullValue: .unknown(.nullConditionValue)
        case .unusableSegment: .unknown(.unsupportedConditionValue)
        default: LeafAnswer(user.segments.contains(project.text(project.tables.leaves[row].text)))
        }
    }

    private func compare(_ value: AttributeValue, leaf row: Int) -> LeafAnswer {
        if case .null = value { return .unknown(.nullAttribute) }
        let number = project.tables.leaves[row].number
        switch project.tables.leaves[row].test {
        case .equalNumber: return compareNumber(value) { $0 == number }
        case .greater: return compareNumber(value) { $0 > number }
        case .greaterOrEqual: return compareNumber(value) { $0 >= number }
        case .less: return compareNumber(value) { $0 < number }
        case .lessOrEqual: return compareNumber(value) { $0 <= number }
        case .substring:
            guard case .string(let value) = value else { return .unknown(.wrongAttributeType) }
            return LeafAnswer(TextSearch.contains(value, project.text(project.tables.leaves[row].text)))
        case .equalComposite:
            return compareComposite(value, with: project.tables.composites[Int(project.tables.leaves[row].composite)])
        case .versionEqual: return compareVersion(value, leaf: row) { $0 == 0 }
        case .versionGreater: return compareVersion(value, leaf: row) { $0 > 0 }
        case .versionGreaterOrEqual: return compareVersion(value, leaf: row) { $0 >= 0 }
        case .versionLess: return compareVersion(value, leaf: row) { $0 < 0 }
        case .versionLessOrEqual: return compareVersion(value, leaf: row) { $0 <= 0 }
        case .equalString, .equalBool: return .unknown(.wrongAttributeType)
        default: return .unknown(.unsupportedConditionValue)
        }
    }

    /// Numbers beyond ±2^53 are not compared; NaN is compared, but never meets a condition.
    @inline(__always)
    private func compareNumber(_ value: AttributeValue, _ isMet: (Double) -> Bool) -> LeafAnswer {
        guard let number = value.number else { return .unknown(.wrongAttributeType) }
        guard !(abs(number) > 9_007_199_254_740_992) else { return .unknown(.numberOutOfRange) }
        return LeafAnswer(isMet(number))
    }

    private func compareComposite(_ value: AttributeValue, with expected: ConditionValue) -> LeafAnswer {
        switch (expected, value) {
        case (.array, .array), (.object, .object): LeafAnswer(expected.equals(value))
        default: .unknown(.wrongAttributeType)
        }
    }

    private func compareVersion(
        _ value: AttributeValue, leaf row: Int, _ isMet: (Int) -> Bool
    ) -> LeafAnswer {
        let leaf = project.tables.leaves[row]
        let version: String
        switch (leaf.valueKind, value) {
        case (.string, .string(let value)): version = value
        case (.number, .integer), (.number, .double), (.number, .float), (.bool, .bool): version = value.description
        case (.composite, .array), (.composite, .object):
            let isComparable =
                switch (project.tables.composites[Int(leaf.composite)], value) {
                case (.array, .array), (.object, .object): true
                default: false
                }
            return .unknown(isComparable ? .malformedVersion : .incomparableVersion)
        default: return .unknown(.incomparableVersion)
        }
        guard let target = project.tables.versions[Int(leaf.version)], let version = SemanticVersion(version) else {
            return .unknown(.malformedVersion)
        }
        return LeafAnswer(isMet(version.order(relativeTo: target)))
    }
}
