/// Explains the evaluation of an audience for a user: why it is unknown, and as a trace.
struct AudienceExplainer {
    let project: Project
    let user: User

    /// Why the condition at `row`, which must be unknown, could not be evaluated.
    func cause(at row: Int) -> UnknownCause {
        switch project.tables.conditions[row].kind {
        case .leaf:
            let evaluator = AudienceEvaluator(project: project)
            guard
                case .unknown(let cause) = evaluator.answer(
                    leaf: Int(project.tables.conditions[row].operand), for: user)
            else { return .unknownConditionType }
            return cause
        case .missingAudience: return .missingAudience
        case .audience:
            return project.tables.audiences[Int(project.tables.conditions[row].operand)].isCyclic
                ? .cyclicAudience : .tooDeepAudience
        case .not: return .emptyNot
        case .emptyList: return .emptyList
        case .nestedFirst: return .nestedFirst
        case .strayOperator: return .strayOperator
        case .and, .or: return .emptyAnd
        }
    }

    /// The vendor's message for the condition at `row`, which must be unknown.
    func text(at row: Int) -> String {
        let operand = project.tables.conditions[row].operand
        let symbol = Symbol(index: UInt32(bitPattern: operand))
        let cause = cause(at: row)
        switch cause {
        case .missingAudience: return UnknownCause.missingAudience(project.text(symbol))
        case .cyclicAudience, .tooDeepAudience:
            let id = project.text(project.tables.audiences[Int(operand)].id)
            return cause == .cyclicAudience
                ? "Audience (\(id)) refers to itself." : "Audience (\(id)) is nested too deeply."
        case .emptyNot: return UnknownCause.invalidFormat("NOT with empty items")
        case .emptyList: return UnknownCause.invalidFormat("Empty condition array")
        case .nestedFirst: return UnknownCause.invalidFormat("Invalid first item")
        case .strayOperator: return UnknownCause.invalidFormat("Logical operation not evaluated")
        case .emptyAnd: return UnknownCause.invalidFormat("AND with empty items")
        default: return text(cause, leaf: Int(operand))
        }
    }

    private func text(_ cause: UnknownCause, leaf row: Int) -> String {
        let name = project.tables.symbols.optionalText(project.tables.leaves[row].name) ?? ""
        return cause.sentence(
            condition: project.canonicalText(leaf: row), attribute: name,
            value: user.attributes[name]?.description ?? "")
    }
}
