/// The result of a condition on one attribute.
enum LeafAnswer: Equatable {
    case yes, no
    case unknown(UnknownCause)

    @inline(__always)
    init(_ isMet: Bool) { self = isMet ? .yes : .no }
}

extension AudienceEvaluator {
    /// Evaluates a condition on an attribute, in the reference's order of checks.
    @inline(__always)
    func answer(leaf row: Int, for user: User) -> LeafAnswer {
        let test = project.tables.leaves[row].test
        guard test.looksAtAttribute else { return answerWithoutAttribute(test, row, user) }
        let value = user.attributes.value(hash: project.tables.leaves[row].nameHash) {
            $0.hasSameBytes(as: project.text(project.tables.leaves[row].name))
        }
        guard let value else { return test == .exists ? .no : .unknown(.missingAttribute) }
        switch (test, value) {
        case (.equalString, .string(let value)):
            return LeafAnswer(value.isEquivalent(to: project.text(project.tables.leaves[row].text)))
        case (.equalBool, .bool(let value)): return LeafAnswer(value == project.tables.leaves[row].bool)
        case (.exists, _): return LeafAnswer(value.exists)
        default: return compare(value, leaf: row)
        }
    }

    private func answerWithoutAttribute(_ test: LeafRow.Test, _ row: Int, _ user: User) -> LeafAnswer {
        switch test {
        case .unknownType: .unknown(.unknownConditionType)
        case .unknownMatch: .unknown(.unknownMatchType)
        case .missingName: .unknown(.missingAttributeName)
        case .nullValue: .unknown(.nullConditionValue)
        case .unusableSegment: .unknown(.unsupportedConditionValue)
        default: LeafAnswer(user.segments.contains(project.text(project.tables.leaves[row].text)))
        }
    }

    private func compare(_ value: AttributeValue, leaf row: Int) -> LeafAnswer {
        if case .null = value { return .unknown(.nullAttribute) }
        let number = project.tables.leaves[row].number
        switch project.tables.leaves[row].test {
        case .equalNumber: return compareNumber(value) { $0 == number }
        case .greater: return compareNumber(value) { $0 > number }
        case .greaterOrEqual: return compareNumber(value) { $0 >= number }
        case .less: return compareNumber(value) { $0 < number }
        case .lessOrEqual: return compareNumber(value) { $0 <= number }
        case .substring:
            guard case .string(let value) = value else { return .unknown(.wrongAttributeType) }
            return LeafAnswer(TextSearch.contains(value, project.text(project.tables.leaves[row].text)))
        case .equalComposite:
            return compareComposite(value, with: project.tables.composites[Int(project.tables.leaves[row].composite)])
        case .versionEqual: return compareVersion(value, leaf: row) { $0 == 0 }
        case .versionGreater: return compareVersion(value, leaf: row) { $0 > 0 }
        case .versionGreaterOrEqual: return compareVersion(value, leaf: row) { $0 >= 0 }
        case .versionLess: return compareVersion(value, leaf: row) { $0 < 0 }
        case .versionLessOrEqual: return compareVersion(value, leaf: row) { $0 <= 0 }
        case .equalString, .equalBool: return .unknown(.wrongAttributeType)
        default: return .unknown(.unsupportedConditionValue)
        }
    }

    /// Numbers beyond ±2^53 are not compared; NaN is compared, but never meets a condition.
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
        _ value: AttributeValue, leaf row: Int, _ isMet: (Int) -> Bool
    ) -> LeafAnswer {
        let leaf = project.tables.leaves[row]
        let version: String
        switch (leaf.valueKind, value) {
        case (.string, .string(let value)): version = value
        case (.number, .integer), (.number, .double), (.number, .float), (.bool, .bool): version = value.description
        case (.composite, .array), (.composite, .object):
            let isComparable =
                switch (project.tables.composites[Int(leaf.composite)], value) {
                case (.array, .array), (.object, .object): true
                default: false
                }
            return .unknown(isComparable ? .malformedVersion : .incomparableVersion)
        default: return .unknown(.incomparableVersion)
        }
        guard let target = project.tables.versions[Int(leaf.version)], let version = SemanticVersion(version) else {
            return .unknown(.malformedVersion)
        }
        return LeafAnswer(isMet(version.order(relativeTo: target)))
    }
}
