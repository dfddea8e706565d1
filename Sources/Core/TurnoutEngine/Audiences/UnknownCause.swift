/// Why a condition has no answer.
public enum UnknownCause: String, Sendable {
    // About the condition.
    /// The condition's type is neither `custom_attribute` nor `third_party_dimension`.
    case unknownConditionType
    /// The match type is not known.
    case unknownMatchType
    /// The condition names no attribute.
    case missingAttributeName
    /// The condition has no value to compare with.
    case nullConditionValue
    /// The condition's value cannot be used with its match type.
    case unsupportedConditionValue
    // About the user.
    /// The user has no such attribute.
    case missingAttribute
    /// The user's attribute is explicitly without a value.
    case nullAttribute
    /// The user's attribute is of a type that cannot be compared with the condition's value.
    case wrongAttributeType
    /// The user's number is not within ±2^53.
    case numberOutOfRange
    /// The user's attribute and the condition's value cannot both be versions.
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
    /// An audience that the datafile does not have.
    case missingAudience
    /// An audience that refers to itself, or whose evaluation might not end.
    case endlessAudience
}

extension UnknownCause {
    /// The cause in a few words.
    var text: String {
        switch self {
        case .unknownConditionType: "condition type not known"
        case .unknownMatchType: "match type not known"
        case .missingAttributeName: "the condition names no attribute"
        case .nullConditionValue: "the condition has no value"
        case .unsupportedConditionValue: "the condition's value does not fit its match"
        case .missingAttribute: "attribute missing"
        case .nullAttribute: "attribute is null"
        case .wrongAttributeType: "attribute of another type"
        case .numberOutOfRange: "number beyond ±2^53"
        case .incomparableVersion: "not comparable as versions"
        case .malformedVersion: "malformed version"
        case .emptyAnd: "an \"and\" of nothing"
        case .emptyNot: "a \"not\" of nothing"
        case .emptyList: "an empty list"
        case .nestedFirst: "a list that starts with a list"
        case .strayOperator: "a misplaced operator"
        case .missingAudience: "no such audience"
        case .endlessAudience: "the audience refers to itself"
        }
    }
}

extension Project {
    /// Why the condition at `row` has no answer, if it has none.
    func unknownCause(at row: Int, for user: User) -> UnknownCause {
        switch tables.conditions[row].kind {
        case .leaf:
            guard case .unknown(let cause) = answer(leaf: Int(tables.conditions[row].operand), for: user) else {
                return .unknownConditionType
            }
            return cause
        case .missingAudience: return .missingAudience
        case .audience: return .endlessAudience
        case .not: return .emptyNot
        case .emptyList: return .emptyList
        case .nestedFirst: return .nestedFirst
        case .strayOperator: return .strayOperator
        case .and, .or: return .emptyAnd
        }
    }

    /// The vendor's text for the condition at `row`, which has no answer.
    func unknownText(at row: Int, for user: User) -> String {
        let operand = tables.conditions[row].operand
        let symbol = Symbol(index: UInt32(bitPattern: operand))
        let cause = unknownCause(at: row, for: user)
        switch cause {
        case .missingAudience: return UnknownCause.missingAudience(text(symbol))
        case .endlessAudience:
            let id = tables.audiences[Int(operand)].id
            return "Audience (\(text(id))) refers to itself or is nested too deeply."
        case .emptyNot: return UnknownCause.invalidFormat("NOT with empty items")
        case .emptyList: return UnknownCause.invalidFormat("Empty condition array")
        case .nestedFirst: return UnknownCause.invalidFormat("Invalid first item")
        case .strayOperator: return UnknownCause.invalidFormat("Logical operation not evaluated")
        case .emptyAnd: return UnknownCause.invalidFormat("AND with empty items")
        default: return unknownText(cause, leaf: Int(operand), for: user)
        }
    }

    private func unknownText(_ cause: UnknownCause, leaf row: Int, for user: User) -> String {
        let name = tables.symbols.optionalText(tables.leaves[row].name) ?? ""
        return cause.sentence(
            condition: canonicalText(leaf: row), attribute: name, value: user.attributes[name]?.description ?? "")
    }

    /// A condition as compact JSON with sorted keys, as reasons print it.
    func canonicalText(leaf row: Int) -> String {
        let leaf = tables.leaves[row]
        var writer = JSONWriter(style: .foundation)
        writer.beginObject()
        for (key, symbol) in [("match", leaf.match), ("name", leaf.name), ("type", leaf.type)] where symbol != .none {
            writer.key(key)
            writer.string(text(symbol))
        }
        if leaf.valueKind != .absent {
            writer.key("value")
            writer.conditionValue(value(of: leaf))
        }
        writer.endObject()
        return writer.text
    }

    /// The value that a condition compares with.
    func value(of leaf: LeafRow) -> ConditionValue {
        switch leaf.valueKind {
        case .string: .string(text(leaf.text))
        case .number: .number(leaf.number)
        case .bool: .bool(leaf.bool)
        case .composite: tables.composites[Int(leaf.composite)]
        case .absent, .other: .other
        }
    }
}

extension JSONWriter {
    /// Writes the value of a condition; what has no JSON is an empty object, as the reference prints it.
    mutating func conditionValue(_ value: ConditionValue) {
        switch value {
        case .string(let value): string(value)
        case .number(let value): double(value)
        case .bool(let value): bool(value)
        case .array(let elements):
            beginArray()
            for element in elements { conditionValue(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                self.key(key)
                conditionValue(member)
            }
            endObject()
        case .other:
            beginObject()
            endObject()
        }
    }
}
