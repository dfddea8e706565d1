import TestSupport
import Testing
import TurnoutEngine
import TurnoutFlags

/// Random conditions, compared with evaluators that follow the definitions of the tools.
@Suite("Conditions of other tools are met by the same users, also by those without the attributes")
struct ForeignConditionTests {
    @Test func conditionsInJSONLogicAreMetBySameUsers() throws {
        var random = SplitMix(state: 3)
        var met = 0
        for _ in 0..<rounds(5, thorough: 30) {
            let conditions = (0..<20).map { _ in Self.logic(depth: 4, &random) }
            var flags: [String: JSONValue] = [:]
            for (index, condition) in conditions.enumerated() {
                flags["f\(index)"] = .object([
                    "state": .string("ENABLED"), "defaultVariant": .string("no"),
                    "variants": .object(["yes": .bool(true), "no": .bool(false)]),
                    "targeting": .object(["if": .array([condition, .string("yes")])]),
                ])
            }
            met += try expectSame(.object(["flags": .object(flags)]), .flagd, conditions, &random) {
                Self.isTrue(Self.evaluate($0, $1))
            }
        }
        #expect(met > 500)
    }

    @Test func conditionsOfGrowthBookAreMetBySameUsers() throws {
        var random = SplitMix(state: 4)
        var met = 0
        for _ in 0..<rounds(5, thorough: 30) {
            let conditions = (0..<20).map { _ in Self.query(depth: 3, &random) }
            var features: [String: JSONValue] = [:]
            for (index, condition) in conditions.enumerated() {
                features["f\(index)"] = .object([
                    "defaultValue": .bool(false),
                    "rules": .array([.object(["condition": condition, "force": .bool(true)])]),
                ])
            }
            met += try expectSame(.object(["features": .object(features)]), .growthBook, conditions, &random) {
                Self.matches($0, $1)
            }
        }
        #expect(met > 500)
    }

    @Test func queriesOfGoFeatureFlagAreMetBySameUsers() throws {
        var random = SplitMix(state: 5)
        var met = 0
        for _ in 0..<rounds(5, thorough: 30) {
            let queries = (0..<20).map { _ in Query(depth: 3, &random) }
            var flags: [String: JSONValue] = [:]
            for (index, query) in queries.enumerated() {
                flags["f\(index)"] = .object([
                    "variations": .object(["yes": .bool(true), "no": .bool(false)]),
                    "targeting": .array([.object(["query": .string(query.text), "variation": .string("yes")])]),
                    "defaultRule": .object(["variation": .string("no")]),
                ])
            }
            met += try expectSame(.object(flags), .goFeatureFlag, queries, &random) { $0.isMet($1) }
        }
        #expect(met > 500)
    }

    /// Compares the flags `f0`, `f1`, … with their conditions for random users. Returns how often conditions are met.
    private func expectSame<Condition>(
        _ file: JSONValue, _ format: ForeignImport.Format, _ conditions: [Condition], _ random: inout SplitMix,
        _ isMet: (Condition, [String: JSONValue]) -> Bool
    ) throws -> Int {
        let source = SourceFile(name: "random", bytes: [])
        let example = try ForeignExample(Node(file), as: format, in: source)
        #expect(!example.notes.contains { $0.code == "not-translated" }, "\(example.notes.map(\.message))")
        var met = 0
        for _ in 0..<40 {
            var user: [String: JSONValue] = [:]
            for attribute in ["text", "number", "flag"] where random.next() % 3 > 0 {
                user[attribute] = Self.value(of: attribute, &random)
            }
            for (index, condition) in conditions.enumerated() {
                let expected = isMet(condition, user)
                let found = example.decision("f\(index)", user.mapValues { AttributeValue($0) })
                met += expected ? 1 : 0
                #expect(found == (expected ? "on" : "off"), "\(condition) \(user)")
            }
        }
        return met
    }

    fileprivate static func value(of attribute: String, _ random: inout SplitMix) -> JSONValue {
        switch attribute {
        case "text": .string(["a", "b", "ab", "c"].randomElement(using: &random) ?? "a")
        case "number": .integer(Int64.random(in: -1...2, using: &random))
        default: .bool(random.next() % 2 == 0)
        }
    }
}

// MARK: JsonLogic

extension ForeignConditionTests {
    private static func logic(depth: Int, _ random: inout SplitMix) -> JSONValue {
        let inner = { (random: inout SplitMix) in Self.logic(depth: depth - 1, &random) }
        let name = ["text", "number", "flag"].randomElement(using: &random) ?? "text"
        let value = value(of: name, &random)
        let variable: JSONValue =
            random.next() % 5 == 0
            ? .object(["var": .array([.string(name), Self.value(of: name, &random)])])
            : .object(["var": .string(name)])
        switch depth == 0 ? 4 + random.next() % 4 : random.next() % 8 {
        case 0: return .object(["and": .array([inner(&random), inner(&random)])])
        case 1: return .object(["or": .array([inner(&random), inner(&random), inner(&random)])])
        case 2: return .object(["!": .array([inner(&random)])])
        case 3: return .object(["!": inner(&random)])
        case 4:
            let word = ["==", "===", "!=", "!=="].randomElement(using: &random) ?? "=="
            return .object([word: .array(random.next() % 2 == 0 ? [variable, value] : [value, variable])])
        case 5:
            let values: [JSONValue] = [value, Self.value(of: name, &random)]
            return .object(["in": .array([variable, .array(values)])])
        case 6:
            return .object(["in": .array([.string("a"), .object(["var": .string("text")])])])
        default:
            let word = ["<", "<=", ">", ">="].randomElement(using: &random) ?? "<"
            let number = Self.value(of: "number", &random)
            let variable = JSONValue.object(["var": .string("number")])
            return .object([word: .array(random.next() % 2 == 0 ? [variable, number] : [number, variable])])
        }
    }

    private static func evaluate(_ rule: JSONValue, _ user: [String: JSONValue]) -> JSONValue {
        guard case .object(let members) = rule, let (word, value) = members.first else { return rule }
        var operands = [value]
        if case .array(let elements) = value { operands = elements }
        if word == "var" {
            let fallback = operands.count > 1 ? operands[1] : .null
            guard case .string(let name) = operands[0] else { return .null }
            return user[name] ?? fallback
        }
        let values = operands.map { evaluate($0, user) }
        switch word {
        case "and": return .bool(values.allSatisfy(isTrue))
        case "or": return .bool(values.contains(where: isTrue))
        case "!": return .bool(!isTrue(values[0]))
        case "==", "===": return .bool(values[0] == values[1])
        case "!=", "!==": return .bool(values[0] != values[1])
        case "<": return .bool(number(values[0]) < number(values[1]))
        case "<=": return .bool(number(values[0]) < number(values[1]) || values[0] == values[1])
        case ">": return .bool(number(values[0]) > number(values[1]))
        case ">=": return .bool(number(values[0]) > number(values[1]) || values[0] == values[1])
        default:
            switch (values[0], values[1]) {
            case (let value, .array(let elements)): return .bool(elements.contains(value))
            case (.string(let part), .string(let text)): return .bool(text.contains(part))
            default: return .bool(false)
            }
        }
    }

    private static func isTrue(_ value: JSONValue) -> Bool { value == .bool(true) }

    private static func number(_ value: JSONValue) -> Int64 {
        if case .integer(let number) = value { number } else { 0 }
    }
}

// MARK: GrowthBook

extension ForeignConditionTests {
    private static func query(depth: Int, _ random: inout SplitMix) -> JSONValue {
        let inner = { (random: inout SplitMix) in Self.query(depth: depth - 1, &random) }
        var members: [String: JSONValue] = [:]
        for _ in 0...(random.next() % 2) {
            let name = ["text", "number", "flag"].randomElement(using: &random) ?? "text"
            switch depth == 0 ? 4 + random.next() % 2 : random.next() % 6 {
            case 0: members["$and"] = .array([inner(&random), inner(&random)])
            case 1: members["$or"] = .array(random.next() % 9 == 0 ? [] : [inner(&random), inner(&random)])
            case 2: members["$nor"] = .array([inner(&random), inner(&random)])
            case 3: members["$not"] = inner(&random)
            case 4: members[name] = random.next() % 9 == 0 ? .null : value(of: name, &random)
            default: members[name] = operation(name, depth: 2, &random)
            }
        }
        return .object(members)
    }

    private static func operation(_ name: String, depth: Int, _ random: inout SplitMix) -> JSONValue {
        let value = value(of: name, &random)
        let list = JSONValue.array([value, random.next() % 5 == 0 ? .null : Self.value(of: name, &random)])
        switch random.next() % 8 {
        case 0: return .object(["$eq": value])
        case 1: return .object(["$ne": random.next() % 5 == 0 ? .null : value])
        case 2: return .object(["$in": list])
        case 3: return .object(["$nin": list])
        case 4: return .object(["$exists": .bool(random.next() % 2 == 0)])
        case 5 where depth > 0: return .object(["$not": operation(name, depth: depth - 1, &random)])
        default:
            guard name == "number" else { return .object(["$ne": value]) }
            let word = ["$lt", "$lte", "$gt", "$gte"].randomElement(using: &random) ?? "$lt"
            return .object([word: value])
        }
    }

    private static func matches(_ condition: JSONValue, _ user: [String: JSONValue]) -> Bool {
        guard case .object(let members) = condition else { return false }
        return members.allSatisfy { key, value in
            var alternatives: [JSONValue] = []
            if case .array(let elements) = value { alternatives = elements }
            let isAnyMet = alternatives.isEmpty || alternatives.contains { matches($0, user) }
            switch key {
            case "$and": return alternatives.allSatisfy { matches($0, user) }
            case "$or": return isAnyMet
            case "$nor": return !isAnyMet
            case "$not": return !matches(value, user)
            default: return matches(user[key] ?? .null, value)
            }
        }
    }

    /// Whether a value, or null for none, meets the condition of an attribute.
    private static func matches(_ actual: JSONValue, _ condition: JSONValue) -> Bool {
        guard case .object(let operators) = condition else {
            switch condition {
            // Null times 1 is 0.
            case .integer(let number): return self.number(actual) == number && actual != .bool(true)
            default: return actual == condition
            }
        }
        return operators.allSatisfy { key, expected in
            var values: [JSONValue] = []
            if case .array(let elements) = expected { values = elements }
            switch key {
            case "$eq": return actual == expected
            case "$ne": return actual != expected
            case "$in": return values.contains(actual)
            case "$nin": return !values.contains(actual)
            case "$exists": return (expected == .bool(true)) == (actual != .null)
            case "$not": return !matches(actual, expected)
            case "$lt": return number(actual) < number(expected)
            case "$lte": return number(actual) <= number(expected)
            case "$gt": return number(actual) > number(expected)
            default: return number(actual) >= number(expected)
            }
        }
    }
}

// MARK: GO Feature Flag

/// A query with its meaning: a comparison with a missing attribute is not met.
private struct Query {
    let text: String
    let isMet: ([String: JSONValue]) -> Bool

    init(depth: Int, _ random: inout SplitMix) {
        switch depth == 0 ? 3 + random.next() % 4 : random.next() % 7 {
        case 0, 1: (text, isMet) = Self.chain(2 + Int(random.next() % 3), depth: depth - 1, &random)
        case 2:
            let inner = Query(depth: depth - 1, &random)
            text = "not (\(inner.text))"
            isMet = { !inner.isMet($0) }
        case 3:
            let name = ["text", "number", "flag"].randomElement(using: &random) ?? "text"
            let isAbsence = random.next() % 2 == 0
            text = isAbsence ? "\(name) eq null" : "\(name) pr"
            isMet = { ($0[name] == nil) == isAbsence }
        case 4:
            let (first, second) = (Int.random(in: 0...2, using: &random), Int.random(in: 0...2, using: &random))
            text = "number in [\(first), \(second)]"
            isMet = { [.integer(Int64(first)), .integer(Int64(second))].contains($0["number"]) }
        case 5:
            let wanted = Int64.random(in: -1...2, using: &random)
            let isLess = random.next() % 2 == 0
            text = "number \(isLess ? "lt" : ">=") \(wanted)"
            isMet = { user in
                guard case .integer(let number)? = user["number"] else { return false }
                return (number < wanted) == isLess
            }
        default:
            let name = ["text", "number", "flag"].randomElement(using: &random) ?? "text"
            let value = ForeignConditionTests.value(of: name, &random)
            let isEqual = random.next() % 2 == 0
            text = "\(name) \(isEqual ? "eq" : "ne") \(value.text.map { "\"\($0)\"" } ?? Self.literal(value))"
            isMet = { user in user[name].map { ($0 == value) == isEqual } ?? false }
        }
    }

    /// Queries joined by `and` and `or`, which are evaluated from left to right.
    private static func chain(
        _ count: Int, depth: Int, _ random: inout SplitMix
    ) -> (text: String, isMet: ([String: JSONValue]) -> Bool) {
        var (text, isMet) = Self.grouped(Query(depth: depth, &random))
        for _ in 1..<count {
            let isAnd = random.next() % 2 == 0
            let next = Self.grouped(Query(depth: depth, &random))
            let before = isMet
            text += (isAnd ? " and " : " or ") + next.text
            isMet = isAnd ? { before($0) && next.isMet($0) } : { before($0) || next.isMet($0) }
        }
        return (text, isMet)
    }

    private static func grouped(_ query: Query) -> (text: String, isMet: ([String: JSONValue]) -> Bool) {
        ("(\(query.text))", query.isMet)
    }

    private static func literal(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }
}

extension JSONValue {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
