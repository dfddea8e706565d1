// The vendor's texts about audiences without an answer, to the letter; see Reason+Text.swift.

extension UnknownCause {
    /// The text about a condition on an attribute.
    ///
    /// - Parameters:
    ///   - condition: The condition as compact JSON.
    ///   - attribute: The name of the attribute.
    ///   - value: The value that the user has, or its type.
    /// - Returns: The text; for causes that are not about a condition, that the attributes are malformed.
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

    /// The text about an audience that the datafile does not have.
    package static func missingAudience(_ id: String) -> String { "Audience (\(id)) is not in datafile." }

    /// The text about a malformed tree of conditions.
    package static func invalidFormat(_ hint: String) -> String { "Condition has an invalid format (\(hint))." }

    private static let upgrade = "You may need to upgrade to a newer release of the Optimizely SDK."
}
