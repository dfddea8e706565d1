import TurnoutEngine

/// Tells which conditions of a project are provably met by every user, or by none, with the audiences that they name.
///
/// Covered are conditions next to their opposite, several values or types of one attribute, ranges of numbers that
/// exclude each other, tests of an attribute that is absent, and segments. Not covered are comparisons of versions,
/// what `contains` a text, and conditions in the form of datafiles: they can have any outcome. Expensive proofs are not
/// attempted.
struct ConditionAnalysis: Sendable {
    /// More ways to meet a condition are not followed.
    private static let wayLimit = 64
    /// More tests of an audience are not followed where it is named, because audiences can name one another.
    private static let sizeLimit = 256

    /// The analysis of an audience.
    private struct Known: Sendable {
        var outcomes = ConditionOutcomes.any
        var (met, unmet) = (Way.all, Way.all)
    }

    private var audiences: [String: Known] = [:]
    let conditions: [String: AuthoredCondition]

    /// Prepares the analysis of a project's conditions.
    init(_ project: AuthoredProject) {
        // The members of a datafile take the place of the condition.
        let own = project.audiences.filter { !$0.verbatim.replaces("conditions") }
        conditions = Dictionary(own.map { ($0.key, $0.condition) }) { first, _ in first }
        for audience in own { learn(audience.key, depth: 0) }
    }

    private mutating func learn(_ key: String, depth: Int) {
        guard audiences[key] == nil, depth < ConditionCompiler.depthLimit, let condition = conditions[key] else {
            return
        }
        // An audience that contains itself does not compile.
        audiences[key] = Known()
        for name in condition.audienceKeys { learn(name, depth: depth + 1) }
        let (met, unmet) = (ways(condition, answer: true), ways(condition, answer: false))
        audiences[key] = Known(
            outcomes: condition.outcomes { audiences[$0]?.outcomes ?? .any },
            met: Self.isSmall(met) ? met : Way.all, unmet: Self.isSmall(unmet) ? unmet : Way.all)
    }

    private static func isSmall(_ ways: [Way]) -> Bool {
        var size = 0
        for way in ways {
            size += way.tests.values.reduce(1) { $0 + $1.size }
            guard size <= sizeLimit else { return false }
        }
        return true
    }

    /// Whether the condition is provably never met.
    func isNeverMet(_ condition: AuthoredCondition) -> Bool {
        !outcomes(of: condition).contains(.met) || ways(condition, answer: true).isEmpty
    }

    /// Whether the condition is provably met by every user.
    func isAlwaysMet(_ condition: AuthoredCondition) -> Bool { outcomes(of: condition) == .met }

    /// Whether a rule is for every user.
    func includesEveryone(_ audience: AuthoredCondition?) -> Bool { audience.map(isAlwaysMet) ?? true }

    private func outcomes(of condition: AuthoredCondition) -> ConditionOutcomes {
        condition.outcomes { audiences[$0]?.outcomes ?? .any }
    }

    // MARK: Ways

    /// A way in which a condition is met, or is not met: what it says about each attribute and segment.
    struct Way: Sendable {
        var tests: [Subject: AttributeConstraint] = [:]

        enum Subject: Hashable, Sendable {
            case attribute(String)
            case segment(String)
        }

        /// The ways of a condition about which nothing is known: a single one, without tests.
        static let all = [Way()]
    }

    /// The ways in which a condition has an answer; none if it never has.
    func ways(_ condition: AuthoredCondition, answer: Bool) -> [Way] {
        switch condition {
        // Without operands, the engine knows no answer.
        case .all([]): []
        case .all(let operands): answer ? every(operands, answer: true) : either(operands, answer: false)
        case .any(let operands): answer ? either(operands, answer: true) : every(operands, answer: false)
        case .not(let operand): ways(operand, answer: !answer)
        case .attribute(let test): [Way(tests: [.attribute(test.attribute): test.constraint(answer)])]
        case .segment(let segment, _):
            [Way(tests: [.segment(segment): AttributeConstraint(oneOf: [.boolean(answer)])])]
        case .audience(let key, _): audiences[key].map { answer ? $0.met : $0.unmet } ?? Way.all
        case .verbatim: Way.all
        }
    }

    /// The ways in which all operands have the answer.
    private func every(_ operands: [AuthoredCondition], answer: Bool) -> [Way] {
        var common = Way()
        var choices: [[Way]] = []
        for operand in operands {
            let ways = ways(operand, answer: answer)
            guard let only = ways.first else { return [] }
            if ways.count == 1 {
                for (subject, test) in only.tests { common.tests[subject, default: AttributeConstraint()].form(test) }
            } else {
                choices.append(ways)
            }
        }
        guard !common.tests.values.contains(where: \.isImpossible) else { return [] }
        var result = [common]
        for choice in choices where result.count * choice.count <= Self.wayLimit {
            result = result.flatMap { way in choice.compactMap { Self.both(way, $0) } }
        }
        return result
    }

    /// A way that is both of two, or nil if they exclude each other.
    private static func both(_ first: Way, _ second: Way) -> Way? {
        var way = first
        for (subject, test) in second.tests {
            way.tests[subject, default: AttributeConstraint()].form(test)
            guard way.tests[subject]?.isImpossible != true else { return nil }
        }
        return way
    }

    /// The ways in which at least one operand has the answer. Values of one attribute are one way.
    private func either(_ operands: [AuthoredCondition], answer: Bool) -> [Way] {
        var values: [Way.Subject: Set<AttributeConstraint.Scalar>] = [:]
        var others: [Way] = []
        for operand in operands {
            for way in ways(operand, answer: answer) {
                if way.tests.count == 1, let (subject, test) = way.tests.first, let own = test.values {
                    values[subject, default: []].formUnion(own)
                } else {
                    others.append(way)
                }
                guard others.count + values.count <= Self.wayLimit else { return Way.all }
            }
        }
        return others + values.map { Way(tests: [$0.key: AttributeConstraint(oneOf: $0.value)]) }
    }

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

/// The possible outcomes of a condition. A test of an attribute that the user lacks is unknown: neither it nor its
/// opposite is met.
struct ConditionOutcomes: OptionSet {
    let rawValue: Int

    static let met = ConditionOutcomes(rawValue: 1)
    static let unmet = ConditionOutcomes(rawValue: 2)
    static let unknown = ConditionOutcomes(rawValue: 4)
    static let any: ConditionOutcomes = [.met, .unmet, .unknown]
}

extension AuthoredCondition {
    /// The outcomes that are not provably impossible, evaluated as the engine does.
    ///
    /// - Parameter audience: Returns the outcomes of an audience that the condition names.
    /// - Returns: The outcomes that remain.
    func outcomes(_ audience: (String) -> ConditionOutcomes) -> ConditionOutcomes {
        switch self {
        case .all(let operands): return Self.outcomes(ofAll: operands, audience)
        case .any(let operands): return Self.outcomes(ofAny: operands, audience)
        case .not(let operand):
            let outcomes = operand.outcomes(audience)
            let isSymmetric = outcomes.contains(.met) == outcomes.contains(.unmet)
            return isSymmetric ? outcomes : outcomes.symmetricDifference([.met, .unmet])
        case .attribute(let test): return test.match == .exists ? [.met, .unmet] : .any
        case .audience(let key, _): return audience(key)
        case .segment, .verbatim: return .any
        }
    }

    /// The engine stops at the first operand that is not met or unknown. Without operands, the result is unknown.
    private static func outcomes(
        ofAll operands: [AuthoredCondition], _ audience: (String) -> ConditionOutcomes
    ) -> ConditionOutcomes {
        guard !operands.isEmpty else { return .unknown }
        var result: ConditionOutcomes = []
        for operand in operands {
            let outcomes = operand.outcomes(audience)
            result.formUnion(outcomes.subtracting(.met))
            guard outcomes.contains(.met) else { return result }
        }
        return opposites(operands).isEmpty ? result.union(.met) : result
    }

    /// The engine stops at the first operand that is met. An unknown operand makes the result unknown if none is.
    /// Without operands, the result is that it is not met.
    private static func outcomes(
        ofAny operands: [AuthoredCondition], _ audience: (String) -> ConditionOutcomes
    ) -> ConditionOutcomes {
        guard !operands.isEmpty else { return .unmet }
        let all = operands.map { $0.outcomes(audience) }
        let opposites = opposites(operands)
        guard !all.contains(.met), opposites.allSatisfy({ $0.outcomes(audience).contains(.unknown) }) else {
            return .met
        }
        var result = all.reduce(into: ConditionOutcomes()) { $0.formUnion($1) }
        if !opposites.isEmpty || !all.allSatisfy({ $0.contains(.unmet) }) { result.remove(.unmet) }
        return result
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
}
