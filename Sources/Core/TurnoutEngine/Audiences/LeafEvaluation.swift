/// The answer of a condition on one attribute.
enum LeafAnswer: Equatable {
    case yes, no
    case unknown(UnknownCause)

    @inline(__always)
    init(_ isMet: Bool) { self = isMet ? .yes : .no }
}

extension Project {
    /// Answers a condition on an attribute, in the reference's order of checks.
    @inline(__always)
    func answer(leaf row: Int, for user: User) -> LeafAnswer {
        let test = tables.leaves[row].test
        switch test {
        case .unknownType: return .unknown(.unknownConditionType)
        case .unknownMatch: return .unknown(.unknownMatchType)
        case .missingName: return .unknown(.missingAttributeName)
        case .nullValue: return .unknown(.nullConditionValue)
        case .unusableSegment: return .unknown(.unsupportedConditionValue)
        case .qualified:
            return LeafAnswer(!user.segments.isEmpty && user.segments.contains(text(tables.leaves[row].text)))
        default: break
        }
        let leaf = tables.leaves[row]
        let value = user.attributes.value(of: text(leaf.name), hash: leaf.nameHash)
        if test == .exists { return LeafAnswer(value?.exists ?? false) }
        guard let value else { return .unknown(.missingAttribute) }
        if case .null = value { return .unknown(.nullAttribute) }
        return compare(value, with: leaf)
    }

    @inline(__always)
    private func compare(_ value: AttributeValue, with leaf: LeafRow) -> LeafAnswer {
        switch leaf.test {
        case .equalString:
            guard case .string(let value) = value else { return .unknown(.wrongAttributeType) }
            return LeafAnswer(value == text(leaf.text))
        case .equalBool:
            guard case .bool(let value) = value else { return .unknown(.wrongAttributeType) }
            return LeafAnswer(value == leaf.bool)
        case .equalNumber: return compareNumber(value) { $0 == leaf.number }
        case .greater: return compareNumber(value) { $0 > leaf.number }
        case .greaterOrEqual: return compareNumber(value) { $0 >= leaf.number }
        case .less: return compareNumber(value) { $0 < leaf.number }
        case .lessOrEqual: return compareNumber(value) { $0 <= leaf.number }
        case .substring:
            guard case .string(let value) = value else { return .unknown(.wrongAttributeType) }
            return LeafAnswer(TextSearch.contains(value, text(leaf.text)))
        case .equalComposite: return compareComposite(value, with: tables.composites[Int(leaf.composite)])
        case .versionEqual: return compareVersion(value, with: leaf) { $0 == 0 }
        case .versionGreater: return compareVersion(value, with: leaf) { $0 > 0 }
        case .versionGreaterOrEqual: return compareVersion(value, with: leaf) { $0 >= 0 }
        case .versionLess: return compareVersion(value, with: leaf) { $0 < 0 }
        case .versionLessOrEqual: return compareVersion(value, with: leaf) { $0 <= 0 }
        default: return .unknown(.unsupportedConditionValue)
        }
    }

    /// Numbers beyond ±2^53 are not compared; NaN is, and never meets anything.
    @inline(__always)
    private func compareNumber(_ value: AttributeValue, _ isMet: (Double) -> Bool) -> LeafAnswer {
        guard let number = value.number else { return .unknown(.wrongAttributeType) }
        guard !(abs(number) > 9_007_199_254_740_992) else { return .unknown(.numberOutOfRange) }
        return LeafAnswer(isMet(number))
    }

    private func compareComposite(_ value: AttributeValue, with expected: ConditionValue) -> LeafAnswer {
        switch (expected, value) {
        case (.array, .array), (.object, .object): LeafAnswer(expected.equals(value))
        default: .unknown(.wrongAttributeType)
        }
    }

    private func compareVersion(
        _ value: AttributeValue, with leaf: LeafRow, _ isMet: (Int) -> Bool
    ) -> LeafAnswer {
        let version: String
        switch (leaf.valueKind, value) {
        case (.string, .string(let value)): version = value
        case (.number, .integer), (.number, .double), (.number, .float), (.bool, .bool): version = value.description
        case (.composite, .array), (.composite, .object):
            let isComparable =
                switch (tables.composites[Int(leaf.composite)], value) {
                case (.array, .array), (.object, .object): true
                default: false
                }
            return .unknown(isComparable ? .malformedVersion : .incomparableVersion)
        default: return .unknown(.incomparableVersion)
        }
        guard let target = tables.versions[Int(leaf.version)], let version = SemanticVersion(version) else {
            return .unknown(.malformedVersion)
        }
        return LeafAnswer(isMet(version.order(relativeTo: target)))
    }
}
