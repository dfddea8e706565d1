/// One node of a condition tree. A tree is a run of nodes in preorder: a parent, then its children.
struct ConditionRow: Sendable {
    enum Kind: UInt8, Sendable {
        case and, or, not
        /// `operand` is the row of the audience.
        case audience
        /// `operand` is the row of the leaf.
        case leaf
        /// `operand` is the symbol of an id for which there is no audience.
        case missingAudience
        /// An operator where an operand should be. `operand` is its symbol.
        case strayOperator
        /// `[]` below the top.
        case emptyList
        /// A list whose first item is a list.
        case nestedFirst
    }

    var kind: Kind
    /// Whether this is an "or" that was implied because a list of conditions does not start with an operator.
    var isImplied = false
    /// The row after this node's last descendant.
    var end: Int32 = 0
    var operand: Int32 = -1
    /// The row that has this node's result: a different one for an audience, and for an "and" or "or" with a single
    /// operand, which are frequent in datafiles.
    var answer: Int32 = -1
}

/// A condition on one attribute or on the user's segments, with everything precomputed that does not depend on the
/// user.
struct LeafRow: Sendable {
    /// The test of the attribute's value.
    enum Test: UInt8, Sendable {
        // Never met: the result does not depend on the user.
        case unknownType, unknownMatch, missingName, nullValue
        /// `qualified` with a value that is not a string.
        case unusableSegment
        case qualified
        // All tests from here on read the attribute.
        case exists
        /// The condition's value cannot be used with this match; checked only once the attribute is present.
        case unusableValue
        case equalString, equalNumber, equalBool, equalComposite
        case substring, greater, greaterOrEqual, less, lessOrEqual
        case versionEqual, versionGreater, versionGreaterOrEqual, versionLess, versionLessOrEqual

        /// Whether the result depends on an attribute.
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
    /// The row of the value in the table of composites, if it is an array or a dictionary.
    var composite: Int32 = -1
    /// The row of the value in the table of versions, if the match compares versions.
    var version: Int32 = -1
    var nameHash: UInt32 = 0
    var number = 0.0
}

/// An array or dictionary in a condition. All numbers are doubles, as in the reference.
indirect enum ConditionValue: Sendable {
    case string(String)
    case number(Double)
    case bool(Bool)
    case array([ConditionValue])
    case object([String: ConditionValue])
    /// Everything else: `null`, and numbers outside the range of doubles.
    case other

    /// Deep equality. An integer of the user's never equals a number of the datafile here, because the reference
    /// compares types before values.
    func equals(_ value: AttributeValue) -> Bool {
        switch (self, value) {
        case (.string(let left), .string(let right)): left.isEquivalent(to: right)
        case (.number(let left), .double(let right)): left == right
        case (.number(let left), .float(let right)): left == Double(right)
        case (.bool(let left), .bool(let right)): left == right
        case (.array(let left), .array(let right)):
            Self.equal(left, right.filter(\.isComparable))
        case (.object(let left), .object(let right)): Self.equal(left, right)
        default: false
        }
    }

    private static func equal(_ left: [ConditionValue], _ right: [AttributeValue]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0.equals($1) }
    }

    private static func equal(_ left: [String: ConditionValue], _ right: [String: AttributeValue]) -> Bool {
        guard right.values.reduce(0, { $1.isComparable ? $0 + 1 : $0 }) == left.count else { return false }
        return left.allSatisfy { key, value in
            guard let found = right[key], found.isComparable else { return false }
            return value.equals(found)
        }
    }
}

extension AttributeValue {
    /// Whether the reference has a type for this value; it drops all others inside arrays and dictionaries.
    fileprivate var isComparable: Bool {
        switch self {
        case .null, .opaque: false
        default: true
        }
    }
}

extension Project {
    /// A condition as compact JSON with sorted keys, as in reasons.
    func canonicalText(leaf row: Int) -> String {
        let leaf = tables.leaves[row]
        var writer = JSONWriter(style: .foundation)
        writer.beginObject()
        for (key, symbol) in [("match", leaf.match), ("name", leaf.name), ("type", leaf.type)] where symbol != .none {
            writer.member(key, text(symbol))
        }
        if leaf.valueKind != .absent {
            writer.key("value")
            writer.conditionValue(value(of: leaf))
        }
        writer.endObject()
        return writer.text
    }

    /// The value of a condition.
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
    /// Writes the value of a condition; a value without JSON representation becomes an empty object, as in the
    /// reference.
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
