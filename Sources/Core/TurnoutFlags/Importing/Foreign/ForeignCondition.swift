import TurnoutEngine

/// A condition of another tool, which every user meets or not.
///
/// Ours are unknown if an attribute is missing, so a condition says what the other tool makes of that.
indirect enum ForeignCondition {
    case constant(Bool)
    case all([ForeignCondition])
    case any([ForeignCondition])
    case not(ForeignCondition)
    /// The user has the attribute.
    case exists(String)
    /// One of the tests of an attribute is met. Users without the attribute meet the condition if `ifMissing`.
    case oneOf([AttributeTest], ifMissing: Bool)
    /// A part that ours cannot express.
    case untranslatable

    /// A condition in our form.
    enum Authored: Equatable {
        case constant(Bool)
        case condition(AuthoredCondition)
    }

    /// Larger conditions, and deeper ones, are not translated: the compiler and the vendor's clients have limits.
    private static let limits = (depth: 90, size: 3_000)

    /// The number of parts of the translation; nil if it exceeds the limits.
    var size: Int? {
        guard case .condition(let condition) = authored(countingUntranslatable: true) else { return 0 }
        var size = 0
        return condition.isWithin(depth: Self.limits.depth, size: Self.limits.size, &size) ? size : nil
    }

    /// Whether no user meets both, because they need different values of an attribute.
    func excludes(_ other: ForeignCondition) -> Bool {
        other.requiredValues.contains { attribute, values in
            requiredValues.contains { $0.attribute == attribute && !$0.values.contains(where: values.contains) }
        }
    }

    /// The values of which users need one.
    private var requiredValues: [(attribute: String, values: [JSONValue])] {
        switch self {
        case .all(let operands): return operands.flatMap(\.requiredValues)
        case .oneOf(let tests, ifMissing: false):
            guard let first = tests.first, tests.allSatisfy({ $0.match == .exact }) else { return [] }
            return [(first.attribute, tests.compactMap(\.value))]
        default: return []
        }
    }

    /// The condition as far as it can be translated.
    ///
    /// - Parameter countingUntranslatable: Whether a part that cannot be translated counts as met. If not, users that
    ///   meet the result certainly meet this condition; if so, all users that may meet this condition meet the result.
    /// - Returns: The translated condition. It is never unknown for users that meet this one.
    func authored(countingUntranslatable: Bool) -> Authored { authored(false, countingUntranslatable) }

    /// Conditions are negated where they test attributes: below `not`, an unknown part would make the whole unknown.
    private func authored(_ isNegated: Bool, _ counting: Bool) -> Authored {
        switch self {
        case .constant(let value): return .constant(value != isNegated)
        case .untranslatable: return .constant(counting)
        case .not(let operand): return operand.authored(!isNegated, counting)
        case .all(let operands), .any(let operands):
            var isAll = false
            if case .all = self { isAll = true }
            return Self.join(operands.map { $0.authored(isNegated, counting) }, all: isAll != isNegated)
        case .exists(let attribute):
            let test = AuthoredCondition.attribute(AttributeTest(attribute, .exists, nil))
            return .condition(isNegated ? .not(test) : test)
        case .oneOf(let tests, let ifMissing):
            guard let first = tests.first else { return .constant(isNegated) }
            let leaves = tests.map(AuthoredCondition.attribute)
            let isMet = leaves.count == 1 ? leaves[0] : .any(leaves)
            let condition = isNegated ? .not(isMet) : isMet
            guard ifMissing != isNegated else { return .condition(condition) }
            let exists = AuthoredCondition.attribute(AttributeTest(first.attribute, .exists, nil))
            return .condition(.any([.not(exists), condition]))
        }
    }

    private static func join(_ operands: [Authored], all: Bool) -> Authored {
        var conditions: [AuthoredCondition] = []
        for operand in operands {
            switch operand {
            case .constant(all): continue
            case .constant: return .constant(!all)
            case .condition(.all(let inner)) where all: conditions += inner
            case .condition(.any(let inner)) where !all: conditions += inner
            case .condition(let condition): conditions.append(condition)
            }
        }
        guard let first = conditions.first else { return .constant(all) }
        return .condition(conditions.count == 1 ? first : all ? .all(conditions) : .any(conditions))
    }
}

/// A part of a condition that has no translation.
struct UntranslatablePart {
    let reason: String
    let node: Node
}

extension AuthoredCondition {
    fileprivate func isWithin(depth: Int, size: Int, _ count: inout Int) -> Bool {
        count += 1
        guard depth > 0, count <= size else { return false }
        switch self {
        case .all(let operands), .any(let operands):
            return operands.allSatisfy { $0.isWithin(depth: depth - 1, size: size, &count) }
        case .not(let operand): return operand.isWithin(depth: depth - 1, size: size, &count)
        default: return true
        }
    }

    /// Adds the attributes that it tests.
    func collectAttributes(_ keys: inout [String], _ known: inout Set<String>) {
        switch self {
        case .all(let operands), .any(let operands):
            for operand in operands { operand.collectAttributes(&keys, &known) }
        case .not(let operand): operand.collectAttributes(&keys, &known)
        case .attribute(let test): if known.insert(test.attribute).inserted { keys.append(test.attribute) }
        case .audience, .segment, .verbatim: break
        }
    }
}

extension AttributeTest {
    /// A comparison with a value, if the datafile can hold it: numbers beyond 2^53 are never equal there.
    init?(_ attribute: String, _ match: Match, comparable value: JSONValue) {
        let number = value.number
        switch value {
        case .null, .array, .object: return nil
        default: if let number { guard abs(number) <= 9_007_199_254_740_992 else { return nil } }
        }
        let needsNumber = [.greater, .greaterOrEqual, .less, .lessOrEqual].contains(match)
        guard !needsNumber || number != nil else { return nil }
        self.init(attribute, match, value)
    }
}

extension String {
    /// A version of three numbers without suffix, which all tools order alike. A leading `v` is dropped.
    ///
    /// - Parameter isPadded: Whether `2` and `2.1` stand for `2.0.0` and `2.1.0`.
    /// - Returns: The version, or nil if it has another form.
    func plainVersion(isPadded: Bool) -> String? {
        var parts = (hasPrefix("v") ? dropFirst() : self[...]).split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { (1...5).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }
        guard isPlain, parts.count <= 3, isPadded || parts.count == 3 else { return nil }
        while parts.count < 3 { parts.append("0") }
        return parts.joined(separator: ".")
    }
}
