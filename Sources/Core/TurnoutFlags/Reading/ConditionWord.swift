/// The keys that have a meaning of their own in a condition. Attributes with such names are written
/// `{attribute: all, …}`.
package enum ConditionWord: String, CaseIterable {
    case all, any, not, segment, audience, attribute, condition, datafile

    package static let names = allCases.map(\.rawValue)
}

extension AttributeTest.Match {
    /// The name in project files.
    package var spelling: String {
        switch self {
        case .exact: "is"
        case .substring: "contains"
        default: rawValue
        }
    }

    /// The names in project files.
    package static let spellings = allCases.map(\.spelling)

    /// The kind of the datafile's value.
    enum Operand {
        case none, scalar, text, number
    }

    /// The kind of the datafile's value.
    var operand: Operand {
        switch self {
        case .exact: .scalar
        case .exists: .none
        case .greater, .greaterOrEqual, .less, .lessOrEqual: .number
        case .substring, .versionEqual, .versionGreater, .versionGreaterOrEqual, .versionLess, .versionLessOrEqual:
            .text
        }
    }
}
