package import TurnoutEngine

/// A named set of users.
package struct AuthoredAudience: AuthoredPart, Sendable {
    /// The key, which is the audience's name in the datafile.
    package var key: String
    /// The key it had before, whose id it keeps.
    package var formerKey: String?
    package var description: String?
    /// The condition that its users meet.
    package var condition: AuthoredCondition
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's audience as they are.
    package var verbatim: [String: JSONValue] = [:]

    package init(
        key: String, formerKey: String? = nil, description: String? = nil, condition: AuthoredCondition,
        origin: SourceOrigin = SourceOrigin()
    ) {
        self.key = key
        self.formerKey = formerKey
        self.description = description
        self.condition = condition
        self.origin = origin
    }
}

/// A condition that a user meets or not.
package indirect enum AuthoredCondition: Sendable, Equatable {
    /// All of the conditions are met.
    case all([AuthoredCondition])
    /// At least one of the conditions is met.
    case any([AuthoredCondition])
    /// The condition is not met.
    case not(AuthoredCondition)
    /// The user belongs to the audience with a key.
    case audience(String, SourceOrigin)
    /// The user belongs to a segment.
    case segment(String, SourceOrigin)
    /// An attribute compares with a value.
    case attribute(AttributeTest)
    /// A condition in the form of datafiles, for what has no other spelling.
    case verbatim(JSONValue)

    /// The conditions in it that consist of no others, in their order.
    private var leaves: [AuthoredCondition] {
        switch self {
        case .all(let operands), .any(let operands): operands.flatMap(\.leaves)
        case .not(let operand): operand.leaves
        case .audience, .segment, .attribute, .verbatim: [self]
        }
    }

    /// The comparisons of attributes in it.
    package var attributeTests: [AttributeTest] {
        leaves.compactMap { if case .attribute(let test) = $0 { test } else { nil } }
    }

    /// The keys of the audiences that it refers to.
    package var audienceKeys: [String] {
        leaves.compactMap { if case .audience(let key, _) = $0 { key } else { nil } }
    }

    /// The conditions in it that have the form of datafiles.
    var verbatimValues: [JSONValue] {
        leaves.compactMap { if case .verbatim(let value) = $0 { value } else { nil } }
    }
}

/// The comparison of an attribute with a value.
package struct AttributeTest: Sendable, Equatable {
    package var attribute: String
    package var match: Match
    /// The value of the datafile; nil for `exists`.
    package var value: JSONValue?
    package var origin = SourceOrigin()

    /// The ways to compare, with their names in datafiles.
    package enum Match: String, Sendable, CaseIterable {
        /// Both are equal: strings byte for byte, numbers by value.
        case exact
        /// The user has the attribute, with any value.
        case exists
        /// The attribute contains the string.
        case substring
        /// The attribute is a greater number.
        case greater = "gt"
        /// The attribute is a greater or equal number.
        case greaterOrEqual = "ge"
        /// The attribute is a smaller number.
        case less = "lt"
        /// The attribute is a smaller or equal number.
        case lessOrEqual = "le"
        /// The attribute is the same version.
        case versionEqual = "semver_eq"
        /// The attribute is a later version.
        case versionGreater = "semver_gt"
        /// The attribute is the same or a later version.
        case versionGreaterOrEqual = "semver_ge"
        /// The attribute is an earlier version.
        case versionLess = "semver_lt"
        /// The attribute is the same or an earlier version.
        case versionLessOrEqual = "semver_le"
    }

    package init(_ attribute: String, _ match: Match, _ value: JSONValue?, origin: SourceOrigin = SourceOrigin()) {
        self.attribute = attribute
        self.match = match
        self.value = value
        self.origin = origin
    }
}
