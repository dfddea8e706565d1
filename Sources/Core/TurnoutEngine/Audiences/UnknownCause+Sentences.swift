// The vendor's messages for audiences that could not be evaluated, verbatim; see Reason+Text.swift.

extension UnknownCause {
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
