import TurnoutEngine

extension ProjectReader {
    /// The deepest nesting of conditions.
    private static let conditionDepth = 100

    /// An audience: a condition, or a mapping with the condition and more.
    mutating func audience(_ entry: KeyedEntry) -> AuthoredAudience? {
        guard isLongForm(entry.node) else {
            return condition(entry).map { AuthoredAudience(key: entry.key, condition: $0, origin: entry.origin) }
        }
        guard hasCondition(entry), let members = members(of: entry, .audience) else { return nil }
        let condition = condition(members["condition"])
        var audience = AuthoredAudience(
            key: entry.key, description: string(members["description"]), condition: condition ?? .any([]),
            origin: entry.origin)
        readCommonMembers(members, of: &audience)
        return audience
    }

    /// Whether an audience has a key that no condition has. Attributes take precedence, except for `condition`.
    private func isLongForm(_ node: Node) -> Bool {
        guard case .mapping(let members) = node.content else { return false }
        let keys = ProjectPart.audience.keys.filter { $0 != "datafile" && !attributes.contains($0) } + ["condition"]
        return members.contains { keys.contains($0.key.text) }
    }

    /// Whether an audience has the key `condition`, perhaps misspelt. If not, its members are probably the condition,
    /// so that reporting each of them would not help.
    private mutating func hasCondition(_ entry: KeyedEntry) -> Bool {
        let word = ConditionWord.condition.rawValue
        if case .mapping(let members) = entry.node.content,
            members.contains(where: { $0.key.text == word || suggestion(for: $0.key.text, among: [word]) != nil })
        {
            return true
        }
        report(
            .missingKey, "an audience with a description, was or ignore needs the key \"condition\"",
            advice: "write {condition: {plan: premium}, description: …}", at: entry.keyRange.lowerBound)
        return false
    }

    // MARK: Conditions

    mutating func condition(_ entry: KeyedEntry?, depth: Int = 0) -> AuthoredCondition? {
        guard let entry else { return nil }
        guard depth < Self.conditionDepth else {
            report(
                .tooDeep, "conditions are nested more than \(Self.conditionDepth) levels deep",
                advice: "give a part of it a name as an audience", at: entry.offset)
            return nil
        }
        switch entry.node.content {
        case .scalar: return audienceReference(entry)
        case .sequence:
            reportType("a condition", entry, advice: "write {any: […]} or {all: […]}")
            return nil
        case .mapping(let members): return condition(of: members, entry, depth: depth)
        }
    }

    private mutating func condition(of members: [Node.Member], _ entry: KeyedEntry, depth: Int) -> AuthoredCondition? {
        guard !members.isEmpty else {
            report(
                .emptyCondition, "the condition for \(quoted(entry.key)) is empty",
                advice: "leave it out, or write {all: []} or {any: []}", at: entry.offset)
            return nil
        }
        let entries = distinct(members.map(KeyedEntry.init))
        if let attribute = entries.first(where: { $0.key == ConditionWord.attribute.rawValue }) {
            return namedAttribute(attribute, tests: entries.filter { $0.key != attribute.key })
        }
        let conditions = entries.compactMap { member($0, depth: depth) }
        guard conditions.count == entries.count else { return nil }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    /// A member of a condition: one of its words, or an attribute with its value or tests.
    private mutating func member(_ entry: KeyedEntry, depth: Int) -> AuthoredCondition? {
        switch ConditionWord(rawValue: entry.key) {
        case .all: conditions(entry, depth: depth).map { .all($0) }
        case .any: conditions(entry, depth: depth).map { .any($0) }
        case .not: condition(entry, depth: depth + 1).map { .not($0) }
        case .audience: audienceReference(entry)
        case .segment: string(entry).map { .segment($0, SourceOrigin(entry.node.range)) }
        case .datafile: verbatimCondition(entry)
        case .attribute, .condition, nil: attribute(entry)
        }
    }

    private mutating func conditions(_ entry: KeyedEntry, depth: Int) -> [AuthoredCondition]? {
        elements(of: entry, "a list of conditions")?.compactMap { condition($0, depth: depth + 1) }
    }

    private mutating func verbatimCondition(_ entry: KeyedEntry) -> AuthoredCondition {
        checkDuplicates(in: entry.node)
        return .verbatim(entry.node.jsonValue)
    }

    private mutating func audienceReference(_ entry: KeyedEntry) -> AuthoredCondition? {
        guard let key = string(entry, "a condition or the key of an audience") else { return nil }
        guard check(key, in: audiences, at: entry.offset) else { return nil }
        return .audience(key, SourceOrigin(entry.node.range))
    }

    // MARK: Attributes

    /// `{plan: premium}`, `{plan: [premium, gold]}`, or `{age: {ge: 18}}`.
    private mutating func attribute(_ entry: KeyedEntry) -> AuthoredCondition? {
        if !attributes.allows(entry.key), suggestion(for: entry.key, among: attributes.keys) == nil,
            let word = suggestion(for: entry.key, among: ConditionWord.names)
        {
            _ = reportUnknownKey(entry, in: "a condition", keys: [word])
            return nil
        }
        let isKnown = check(entry.key, in: attributes, at: entry.keyRange.lowerBound)
        let tests = tests(of: entry.key, entry)
        return isKnown ? tests : nil
    }

    /// `{attribute: all, is: premium}`.
    private mutating func namedAttribute(_ entry: KeyedEntry, tests: [KeyedEntry]) -> AuthoredCondition? {
        guard let key = string(entry, "the key of an attribute") else { return nil }
        guard check(key, in: attributes, at: entry.offset) else { return nil }
        return all(tests, of: key, entry)
    }

    private mutating func tests(of attribute: String, _ entry: KeyedEntry) -> AuthoredCondition? {
        guard case .mapping(let members) = entry.node.content else {
            return test(attribute, .exact, entry)
        }
        return all(distinct(members.map(KeyedEntry.init)), of: attribute, entry)
    }

    private mutating func all(_ tests: [KeyedEntry], of attribute: String, _ entry: KeyedEntry) -> AuthoredCondition? {
        guard !tests.isEmpty else {
            report(
                .emptyCondition, "there is no test for the attribute \(quoted(attribute))",
                advice: "test whether it exists with {exists: true}", at: entry.offset)
            return nil
        }
        let conditions = tests.compactMap { entry -> AuthoredCondition? in
            let match = AttributeTest.Match.allCases.first { $0.spelling == entry.key }
            guard let match else {
                _ = reportUnknownKey(entry, in: "the test of an attribute", keys: AttributeTest.Match.spellings)
                return nil
            }
            return test(attribute, match, entry)
        }
        guard conditions.count == tests.count else { return nil }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func test(
        _ attribute: String, _ match: AttributeTest.Match, _ entry: KeyedEntry
    ) -> AuthoredCondition? {
        let origin = entry.origin
        switch match.operand {
        case .none:
            guard let exists = boolean(entry) else { return nil }
            let test = AuthoredCondition.attribute(AttributeTest(attribute, .exists, nil, origin: origin))
            return exists ? test : .not(test)
        case .text:
            return string(entry).map { .attribute(AttributeTest(attribute, match, .string($0), origin: origin)) }
        case .number:
            return number(entry).map { .attribute(AttributeTest(attribute, match, $0, origin: origin)) }
        case .scalar:
            guard case .sequence(let values) = entry.node.content else { return exact(attribute, entry) }
            guard !values.isEmpty else {
                report(.emptyList, "the list of values for \(quoted(entry.key)) is empty", at: entry.offset)
                return nil
            }
            let tests = values.compactMap { exact(attribute, entry.element($0)) }
            return tests.count == 1 ? tests[0] : .any(tests)
        }
    }

    private mutating func exact(_ attribute: String, _ entry: KeyedEntry) -> AuthoredCondition? {
        guard entry.node.text != nil, !entry.node.isNothing else {
            reportType(
                "a string, a number, true or false", entry,
                advice: entry.node.isNothing ? "test whether it is absent with {exists: false}" : nil)
            return nil
        }
        return .attribute(AttributeTest(attribute, .exact, entry.node.jsonValue, origin: entry.origin))
    }

    private mutating func number(_ entry: KeyedEntry) -> JSONValue? {
        switch entry.node.jsonValue {
        case .integer(let value): return .integer(value)
        case .double(let value): return .double(value)
        default:
            let isQuoted = entry.node.text.flatMap(Node.literal) != nil
            reportType("a number", entry, advice: isQuoted ? "write it without quotes" : nil)
            return nil
        }
    }
}
