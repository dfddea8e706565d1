import TurnoutEngine

extension ConditionAnalysis {
    /// More steps are not followed, because audiences can name one another.
    private static let stepLimit = 1_000

    /// Whether it is certain that every user who meets `narrow` also meets `wide`. False if no user meets `narrow`.
    func implies(_ narrow: AuthoredCondition, _ wide: AuthoredCondition) -> Bool {
        guard !isNeverMet(narrow) else { return false }
        var steps = Self.stepLimit
        return implies(narrow, wide, &steps)
    }

    private func implies(_ narrow: AuthoredCondition, _ wide: AuthoredCondition, _ steps: inout Int) -> Bool {
        steps -= 1
        guard steps > 0 else { return false }
        if narrow == wide { return true }
        switch wide {
        case .audience(let key, _):
            if let condition = conditions[key], implies(narrow, condition, &steps) { return true }
        case .all(let operands):
            if !operands.isEmpty, all(operands, { implies(narrow, $0, &$1) }, &steps) { return true }
        case .not(.not(let operand)): if implies(narrow, operand, &steps) { return true }
        default: break
        }
        switch narrow {
        case .audience(let key, _): return conditions[key].map { implies($0, wide, &steps) } ?? false
        case .any(let operands): return !operands.isEmpty && all(operands, { implies($0, wide, &$1) }, &steps)
        case .all(let operands):
            for operand in operands where implies(operand, wide, &steps) { return true }
        default: break
        }
        let ways = ways(narrow, answer: true)
        return !ways.isEmpty && ways.allSatisfy { way in isMet(wide, in: way, &steps) }
    }

    private func all(
        _ operands: [AuthoredCondition], _ holds: (AuthoredCondition, inout Int) -> Bool, _ steps: inout Int
    ) -> Bool {
        for operand in operands where !holds(operand, &steps) { return false }
        return true
    }

    /// Whether what is known of a user is enough to meet a condition.
    private func isMet(_ condition: AuthoredCondition, in way: Way, _ steps: inout Int) -> Bool {
        steps -= 1
        guard steps > 0 else { return false }
        switch condition {
        case .all(let operands): return !operands.isEmpty && all(operands, { isMet($0, in: way, &$1) }, &steps)
        case .any(let operands):
            for operand in operands where isMet(operand, in: way, &steps) { return true }
            return Self.values(of: operands).contains { attribute, values in
                way.tests[.attribute(attribute)]?.isWithin(AttributeConstraint(oneOf: values)) == true
            }
        case .attribute(let test): return Self.isMet(test, answer: true, in: way)
        case .not(.attribute(let test)): return Self.isMet(test, answer: false, in: way)
        case .segment(let segment, _):
            return way.tests[.segment(segment)]?.isWithin(.init(oneOf: [.boolean(true)])) == true
        case .audience(let key, _): return conditions[key].map { isMet($0, in: way, &steps) } ?? false
        case .not, .verbatim: return false
        }
    }

    private static func isMet(_ test: AttributeTest, answer: Bool, in way: Way) -> Bool {
        test.isKnownByItsConstraint
            && way.tests[.attribute(test.attribute)]?.isWithin(test.constraint(answer)) == true
    }

    /// The values that tests of one attribute admit together.
    private static func values(of tests: [AuthoredCondition]) -> [String: Set<AttributeConstraint.Scalar>] {
        var values: [String: Set<AttributeConstraint.Scalar>] = [:]
        for case .attribute(let test) in tests where test.isKnownByItsConstraint {
            values[test.attribute, default: []].formUnion(test.constraint(true).values ?? [])
        }
        return values.filter { !$0.value.isEmpty }
    }
}
