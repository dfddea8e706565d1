/// One node of a condition tree. A tree is a run of nodes in reading order: a parent, then its children.
struct ConditionRow: Sendable {
    enum Kind: UInt8, Sendable {
        case and, or, not
        /// `operand` is the row of the audience.
        case audience
        /// `operand` is the row of the leaf.
        case leaf
        /// `operand` is the symbol of an id that no audience has.
        case missingAudience
        /// An operator word where an operand should be. `operand` is its symbol.
        case strayOperator
        /// `[]` below the top.
        case emptyList
        /// A list whose first item is a list.
        case nestedFirst
    }

    var kind: Kind
    /// Whether this is an "or" because a list of conditions does not start with an operator.
    var isImplied = false
    /// The row after this node's last descendant.
    var end: Int32 = 0
    var operand: Int32 = -1
    /// The row that gives this node's answer: another one for an audience, and for an "and" or "or" of one operand, of
    /// which datafiles are full.
    var answer: Int32 = -1
}

/// A condition on one attribute, or on the user's segments, with everything decided that does not depend on the user.
struct LeafRow: Sendable {
    /// What to do with the attribute's value.
    enum Test: UInt8, Sendable {
        // Never met: the answer does not depend on the user.
        case unknownType, unknownMatch, missingName, nullValue
        /// `qualified` with a value that is no text.
        case unusableSegment
        case qualified
        // From here on the attribute is looked at.
        case exists
        /// The value in the datafile cannot be used with this match; found out after the attribute is present.
        case unusableValue
        case equalString, equalNumber, equalBool, equalComposite
        case substring, greater, greaterOrEqual, less, lessOrEqual
        case versionEqual, versionGreater, versionGreaterOrEqual, versionLess, versionLessOrEqual

        /// Whether the answer depends on an attribute.
        @inline(__always)
        var looksAtAttribute: Bool { rawValue >= Test.exists.rawValue }
    }

    enum ValueKind: UInt8, Sendable { case absent, string, number, bool, composite, other }

    var test = Test.unknownType
    var valueKind = ValueKind.absent
    var bool = false
    var name = Symbol.none
    var type = Symbol.none
    var match = Symbol.none
    /// The value, if it is a string.
    var text = Symbol.none
    /// The row of the value in the table of composites, if it is a list or a dictionary.
    var composite: Int32 = -1
    /// The row of the value in the table of versions, if the match compares versions.
    var version: Int32 = -1
    var nameHash: UInt32 = 0
    var number = 0.0
}

/// A list or dictionary in a condition. All numbers are doubles, as in the reference.
indirect enum ConditionValue: Sendable {
    case string(String)
    case number(Double)
    case bool(Bool)
    case array([ConditionValue])
    case object([String: ConditionValue])
    /// What fits none of these: `null`, and numbers beyond the doubles.
    case other

    /// Deep equality. Whole numbers of the user never equal a number of the datafile in here, because the
    /// reference compares kinds before values.
    func equals(_ value: AttributeValue) -> Bool {
        switch (self, value) {
        case (.string(let left), .string(let right)): left == right
        case (.number(let left), .double(let right)): left == right
        case (.number(let left), .float(let right)): left == Double(right)
        case (.bool(let left), .bool(let right)): left == right
        case (.array(let left), .array(let right)):
            Self.equal(left, right.filter(\.isComparable))
        case (.object(let left), .object(let right)):
            Self.equal(left, right.filter { $0.value.isComparable })
        default: false
        }
    }

    private static func equal(_ left: [ConditionValue], _ right: [AttributeValue]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0.equals($1) }
    }

    private static func equal(_ left: [String: ConditionValue], _ right: [String: AttributeValue]) -> Bool {
        left.count == right.count && left.allSatisfy { key, value in right[key].map(value.equals) ?? false }
    }
}

extension AttributeValue {
    /// Whether the reference has a kind for this value; inside lists and dictionaries it drops all others.
    fileprivate var isComparable: Bool {
        switch self {
        case .null, .opaque: false
        default: true
        }
    }
}
