import TurnoutEngine

extension ProjectWriter {
    /// A condition in its shortest form.
    ///
    /// A test with a value that its comparison does not take, such as `gt` with a string, is written as in datafiles.
    package static func condition(_ condition: AuthoredCondition) -> Node {
        if let tests = AttributeTests(condition) { return tests.node }
        switch condition {
        case .all(let conditions): return merged(conditions) ?? list("all", conditions)
        case .any(let conditions): return list("any", conditions)
        case .not(let condition): return .mapping([("not", self.condition(condition))])
        case .audience(let key, _): return .name(key)
        case .segment(let key, _): return .mapping([("segment", .name(key))])
        case .attribute(let test): return .mapping([("datafile", Node(test.datafileCondition))])
        case .verbatim(let value): return .mapping([("datafile", Node(value))])
        }
    }

    private static func list(_ word: String, _ conditions: [AuthoredCondition]) -> Node {
        .mapping([(word, Node(.sequence(conditions.map(condition))))])
    }

    /// `{plan: premium, country: US}`, if all conditions test attributes, and different ones.
    private static func merged(_ conditions: [AuthoredCondition]) -> Node? {
        let tests = conditions.compactMap { AttributeTests($0) }
        let attributes = Set(tests.map(\.attribute))
        guard conditions.count > 1, tests.count == conditions.count, attributes.count == tests.count,
            attributes.isDisjoint(with: ConditionWord.names)
        else { return nil }
        return .mapping(tests.map { ($0.attribute, $0.value) })
    }
}

/// The tests of one attribute, which the file spells as one member.
private struct AttributeTests {
    let attribute: String
    let tests: [(key: String, value: Node)]

    /// The tests of a condition; nil if it is about more than one attribute, or has no such spelling.
    init?(_ condition: AuthoredCondition) {
        switch condition {
        case .all(let conditions):
            let singles = conditions.compactMap { Self.single($0) }
            guard let attribute = singles.first?.attribute, singles.count > 1, singles.count == conditions.count,
                singles.allSatisfy({ $0.attribute == attribute }), Set(singles.map(\.name)).count == singles.count
            else { return nil }
            self.attribute = attribute
            tests = singles.map { ($0.name, $0.value) }
        case .any(let conditions):
            let singles = conditions.compactMap { Self.single($0) }
            guard let attribute = singles.first?.attribute, singles.count > 1, singles.count == conditions.count,
                singles.allSatisfy({ $0.attribute == attribute && $0.name == AttributeTest.Match.exact.spelling })
            else { return nil }
            self.attribute = attribute
            tests = [(AttributeTest.Match.exact.spelling, Node(.sequence(singles.map(\.value))))]
        default:
            guard let single = Self.single(condition) else { return nil }
            attribute = single.attribute
            tests = [(single.name, single.value)]
        }
    }

    private static func single(_ condition: AuthoredCondition) -> (attribute: String, name: String, value: Node)? {
        switch condition {
        case .attribute(let test): test.node.map { (test.attribute, test.match.spelling, $0) }
        case .not(.attribute(let test)) where test.match == .exists && test.value == nil:
            (test.attribute, test.match.spelling, .boolean(false))
        default: nil
        }
    }

    /// The value, or the tests as a mapping.
    var value: Node {
        tests.count == 1 && tests[0].key == AttributeTest.Match.exact.spelling ? tests[0].value : .mapping(tests)
    }

    /// The member with the attribute's name, which is spelled out if it is a word of conditions.
    var node: Node {
        guard ConditionWord(rawValue: attribute) != nil else { return .mapping([(attribute, value)]) }
        return .mapping([(ConditionWord.attribute.rawValue, .name(attribute))] + tests)
    }
}

extension AttributeTest {
    /// The value that the file gives for the test, or nil if it has none.
    fileprivate var node: Node? {
        switch (match.operand, value) {
        case (.none, nil): .boolean(true)
        case (.text, .string(let text)): .name(text)
        case (.number, .integer), (.number, .double): value.map(Node.scalar)
        case (.scalar, .string), (.scalar, .integer), (.scalar, .double), (.scalar, .bool): value.map(Node.scalar)
        default: nil
        }
    }

    /// The test as a condition of datafiles.
    fileprivate var datafileCondition: JSONValue {
        var members: [String: JSONValue] = [
            "type": .string("custom_attribute"), "name": .string(attribute), "match": .string(match.rawValue),
        ]
        members["value"] = value
        return .object(members)
    }
}
