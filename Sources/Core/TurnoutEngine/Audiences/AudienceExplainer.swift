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

/// Why a condition could not be evaluated.
public enum UnknownCause: String, Sendable {
    // About the condition.
    /// The condition's type is neither `custom_attribute` nor `third_party_dimension`.
    case unknownConditionType
    /// The match type is unknown.
    case unknownMatchType
    /// The condition has no attribute name.
    case missingAttributeName
    /// The condition has no value.
    case nullConditionValue
    /// The condition's value cannot be used with its match type.
    case unsupportedConditionValue
    // About the user.
    /// The user has no such attribute.
    case missingAttribute
    /// The user's attribute is explicitly null.
    case nullAttribute
    /// The user's attribute is of a type that cannot be compared with the condition's value.
    case wrongAttributeType
    /// The user's number is not within ±2^53.
    case numberOutOfRange
    /// The user's attribute or the condition's value cannot be a version.
    case incomparableVersion
    /// One of the two versions is malformed.
    case malformedVersion
    // About the tree.
    /// An "and" without operands.
    case emptyAnd
    /// A "not" without operands.
    case emptyNot
    /// An empty list of conditions.
    case emptyList
    /// A list that starts with a list.
    case nestedFirst
    /// An operator where a condition should be.
    case strayOperator
    /// An audience that is not in the datafile.
    case missingAudience
    /// An audience that refers to itself, directly or indirectly.
    case cyclicAudience
    /// An audience more than 1,000 levels of conditions below the rule, counted across all audiences.
    case tooDeepAudience

    /// A short description of the cause.
    var text: String {
        switch self {
        case .unknownConditionType: "condition type not known"
        case .unknownMatchType: "match type not known"
        case .missingAttributeName: "the condition names no attribute"
        case .nullConditionValue: "the condition has no value"
        case .unsupportedConditionValue: "the condition's value is invalid for its match type"
        case .missingAttribute: "attribute missing"
        case .nullAttribute: "attribute is null"
        case .wrongAttributeType: "attribute of another type"
        case .numberOutOfRange: "number beyond ±2^53"
        case .incomparableVersion: "not comparable as versions"
        case .malformedVersion: "malformed version"
        case .emptyAnd: "an empty \"and\""
        case .emptyNot: "an empty \"not\""
        case .emptyList: "an empty list"
        case .nestedFirst: "a list that starts with a list"
        case .strayOperator: "a misplaced operator"
        case .missingAudience: "no such audience"
        case .cyclicAudience: "the audience refers to itself"
        case .tooDeepAudience: "the audience is nested too deeply"
        }
    }

    // The vendor's messages for audiences that could not be evaluated, verbatim; see Reason.swift.
    /// The message about a condition on an attribute.
    ///
    /// - Parameters:
    ///   - condition: The condition as compact JSON.
    ///   - attribute: The name of the attribute.
    ///   - value: The user's value, or its type.
    /// - Returns: The message; for causes that do not concern a condition, the message about malformed attributes.
    package func sentence(condition: String, attribute: String = "", value: String = "") -> String {
        let subject = "Audience condition (\(condition))"
        let unknown = "\(subject) evaluated to UNKNOWN because"
        switch self {
        case .unknownConditionType: return "\(subject) uses an unknown condition type. \(Self.upgrade)"
        case .unknownMatchType: return "\(subject) uses an unknown match type. \(Self.upgrade)"
        case .missingAttributeName: return "\(unknown) of invalid attribute name."
        case .nullConditionValue: return "\(unknown) of null value."
        case .unsupportedConditionValue: return "\(subject) has an unsupported condition value. \(Self.upgrade)"
        case .missingAttribute: return "\(unknown) no value was passed for user attribute (\(attribute))."
        case .nullAttribute: return "\(unknown) a null value was passed for user attribute (\(attribute))."
        case .wrongAttributeType:
            return "\(unknown) a value of type (\(value)) was passed for user attribute (\(attribute))."
        case .numberOutOfRange:
            return "\(unknown) the number value for user attribute (\(attribute)) "
                + "is not in the range [-2^53, +2^53]."
        case .incomparableVersion:
            return "Audience condition (attribute value \(attribute) invalid type) has an unsupported condition value. "
                + Self.upgrade
        default: return "Provided attributes are in an invalid format."
        }
    }

    /// The message about an audience that is not in the datafile.
    package static func missingAudience(_ id: String) -> String { "Audience (\(id)) is not in datafile." }

    /// The message about a malformed condition tree.
    package static func invalidFormat(_ hint: String) -> String { "Condition has an invalid format (\(hint))." }

    private static let upgrade = "You may need to upgrade to a newer release of the Optimizely SDK."
}
