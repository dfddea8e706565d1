import TurnoutEngine

/// What a condition can be for some user. A test of an attribute that the user lacks is unknown: neither it nor its
/// opposite is met.
struct ConditionOutcomes: OptionSet {
    let rawValue: Int

    static let met = ConditionOutcomes(rawValue: 1)
    static let unmet = ConditionOutcomes(rawValue: 2)
    static let unknown = ConditionOutcomes(rawValue: 4)
    static let any: ConditionOutcomes = [.met, .unmet, .unknown]
}

extension AuthoredCondition {
    /// Whether the condition is provably never met. Audiences it refers to are not followed.
    var isNeverMet: Bool { !outcomes.contains(.met) }

    /// Whether the condition is provably met by every user.
    var isAlwaysMet: Bool { outcomes == .met }

    /// The outcomes that are not provably impossible, evaluated as the engine does.
    private var outcomes: ConditionOutcomes {
        switch self {
        case .all(let operands): Self.outcomes(ofAll: operands)
        case .any(let operands): Self.outcomes(ofAny: operands)
        case .not(let operand):
            switch operand.outcomes {
            case let outcomes where outcomes.contains(.met) == outcomes.contains(.unmet): outcomes
            case let outcomes: outcomes.symmetricDifference([.met, .unmet])
            }
        case .attribute(let test): test.match == .exists ? [.met, .unmet] : .any
        case .audience, .segment, .verbatim: .any
        }
    }

    /// The engine stops at the first operand that is not met or unknown. Without operands, the result is unknown.
    private static func outcomes(ofAll operands: [AuthoredCondition]) -> ConditionOutcomes {
        guard !operands.isEmpty else { return .unknown }
        var result: ConditionOutcomes = []
        for operand in operands {
            let outcomes = operand.outcomes
            result.formUnion(outcomes.subtracting(.met))
            guard outcomes.contains(.met) else { return result }
        }
        return contradict(operands) ? result : result.union(.met)
    }

    /// The engine stops at the first operand that is met. An unknown operand makes the result unknown if none is.
    private static func outcomes(ofAny operands: [AuthoredCondition]) -> ConditionOutcomes {
        guard !operands.isEmpty else { return .unknown }
        let all = operands.map(\.outcomes)
        let opposites = opposites(operands)
        guard !all.contains(.met), opposites.allSatisfy({ $0.outcomes.contains(.unknown) }) else { return .met }
        var result = all.reduce(into: ConditionOutcomes()) { $0.formUnion($1) }
        if !opposites.isEmpty || !all.allSatisfy({ $0.contains(.unmet) }) { result.remove(.unmet) }
        return result
    }

    /// Whether operands that all must be met exclude each other: a condition and its opposite, two values of one
    /// attribute, or an empty range.
    private static func contradict(_ operands: [AuthoredCondition]) -> Bool {
        if !opposites(operands).isEmpty { return true }
        var tests: [String: [AttributeTest]] = [:]
        for case .attribute(let test) in operands { tests[test.attribute, default: []].append(test) }
        return tests.values.contains { tests in
            let exact = tests.filter { $0.match == .exact }
            if exact.contains(where: { $0.value != exact[0].value }) { return true }
            return isEmptyRange(tests)
        }
    }

    /// The operands whose opposite is an operand, too. Lists that are too large to compile are not searched, which
    /// would take quadratic time.
    private static func opposites(_ operands: [AuthoredCondition]) -> [AuthoredCondition] {
        guard operands.count <= ConditionCompiler.sizeLimit else { return [] }
        return operands.compactMap { operand in
            guard case .not(let opposite) = operand, operands.contains(opposite) else { return nil }
            return opposite
        }
    }

    private static func isEmptyRange(_ tests: [AttributeTest]) -> Bool {
        var low = (value: -Double.infinity, isIncluded: true)
        var high = (value: Double.infinity, isIncluded: true)
        for test in tests {
            guard let number = test.number else { continue }
            switch test.match {
            case .greater where number >= low.value: low = (number, false)
            case .greaterOrEqual where number > low.value: low = (number, true)
            case .less where number <= high.value: high = (number, false)
            case .lessOrEqual where number < high.value: high = (number, true)
            case .exact:
                if number > low.value { low = (number, true) }
                if number < high.value { high = (number, true) }
            default: break
            }
        }
        return low.value > high.value || (low.value == high.value && !(low.isIncluded && high.isIncluded))
    }
}

extension AttributeTest {
    /// The number that the value is, or nil.
    fileprivate var number: Double? {
        switch value {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
