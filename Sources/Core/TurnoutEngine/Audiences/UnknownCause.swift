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

extension Project {
    /// The cause and the text of an unknown answer, for the condition at `row`.
    func unknown(at row: Int, for user: User) -> (cause: UnknownCause, text: String) {
        let condition = tables.conditions[row]
        let symbol = Symbol(index: UInt32(bitPattern: condition.operand))
        switch condition.kind {
        case .leaf:
            guard case .unknown(let cause) = answer(leaf: Int(condition.operand), for: user) else {
                return (.unknownConditionType, "")
            }
            return (cause, unknownText(cause, leaf: Int(condition.operand), for: user))
        case .missingAudience: return (.missingAudience, "Audience (\(text(symbol))) is not in datafile.")
        case .endlessAudience:
            return (.endlessAudience, "Audience (\(text(symbol))) refers to itself or is nested too deeply.")
        case .not: return (.emptyNot, Self.invalidFormat("NOT with empty items"))
        case .emptyList: return (.emptyList, Self.invalidFormat("Empty condition array"))
        case .nestedFirst: return (.nestedFirst, Self.invalidFormat("Invalid first item"))
        case .strayOperator: return (.strayOperator, Self.invalidFormat("Logical operation not evaluated"))
        case .and, .or, .audience: return (.emptyAnd, Self.invalidFormat("AND with empty items"))
        }
    }

    private static func invalidFormat(_ hint: String) -> String { "Condition has an invalid format (\(hint))." }

    private func unknownText(_ cause: UnknownCause, leaf row: Int, for user: User) -> String {
        let leaf = tables.leaves[row]
        let name = tables.symbols.optionalText(leaf.name) ?? ""
        let condition = "Audience condition (\(canonicalText(leaf: row)))"
        let upgrade = "You may need to upgrade to a newer release of the Optimizely SDK."
        switch cause {
        case .unknownConditionType: return "\(condition) uses an unknown condition type. \(upgrade)"
        case .unknownMatchType: return "\(condition) uses an unknown match type. \(upgrade)"
        case .missingAttributeName: return "\(condition) evaluated to UNKNOWN because of invalid attribute name."
        case .nullConditionValue: return "\(condition) evaluated to UNKNOWN because of null value."
        case .unsupportedConditionValue: return "\(condition) has an unsupported condition value. \(upgrade)"
        case .missingAttribute:
            return "\(condition) evaluated to UNKNOWN because no value was passed for user attribute (\(name))."
        case .nullAttribute:
            return "\(condition) evaluated to UNKNOWN because a null value was passed for user attribute (\(name))."
        case .wrongAttributeType:
            let value = user.attributes[name]?.description ?? ""
            return "\(condition) evaluated to UNKNOWN because a value of type (\(value)) was passed "
                + "for user attribute (\(name))."
        case .numberOutOfRange:
            return "\(condition) evaluated to UNKNOWN because the number value for user attribute (\(name)) "
                + "is not in the range [-2^53, +2^53]."
        case .incomparableVersion:
            return "Audience condition (attribute value \(name) invalid type) has an unsupported condition value. "
                + upgrade
        default: return "Provided attributes are in an invalid format."
        }
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
