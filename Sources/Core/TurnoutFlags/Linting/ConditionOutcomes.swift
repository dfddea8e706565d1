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
