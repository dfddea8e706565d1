import TurnoutEngine

/// Translates conditions of GrowthBook, which are in the style of MongoDB.
struct GrowthBookConditionReader {
    private static let depthLimit = 100

    /// The lists that conditions name, by id.
    private let savedGroups: Node?
    /// The parts without a translation.
    private(set) var problems: [UntranslatablePart] = []

    init(savedGroups: Node?) { self.savedGroups = savedGroups }

    private mutating func fail(_ reason: String, _ node: Node) -> ForeignCondition {
        problems.append(UntranslatablePart(reason: reason, node: node))
        return .untranslatable
    }

    /// The condition that a mapping is: all of its members.
    mutating func condition(_ node: Node, depth: Int = 0) -> ForeignCondition {
        guard depth < Self.depthLimit else { return fail("the condition is nested too deeply", node) }
        guard node.isMapping else { return fail("the condition is not a mapping", node) }
        return .all(
            node.members.map { member in
                let value = member.value
                switch member.key.text {
                case "$and": return .all(value.elements.map { condition($0, depth: depth + 1) })
                case "$or": return alternatives(value, depth)
                case "$nor": return .not(alternatives(value, depth))
                case "$not": return .not(condition(value, depth: depth + 1))
                case let name where name.utf8.contains(UInt8(ascii: ".")):
                    return fail("\(quoted(name)) is inside another value, and attributes are plain values", value)
                case let name: return test(name, value, depth: depth + 1)
                }
            })
    }

    /// An empty list of alternatives is met.
    private mutating func alternatives(_ node: Node, _ depth: Int) -> ForeignCondition {
        node.elements.isEmpty ? .constant(true) : .any(node.elements.map { condition($0, depth: depth + 1) })
    }

    // MARK: Attributes

    /// A value that the attribute equals, or operators with values.
    private mutating func test(_ name: String, _ node: Node, depth: Int) -> ForeignCondition {
        guard depth < Self.depthLimit else { return fail("the condition is nested too deeply", node) }
        guard node.isMapping else {
            // A missing attribute is converted to the type of the value.
            switch node.jsonValue {
            case .null: return .not(.exists(name))
            case .string(let text): return equal(name, node, ifMissing: text == "null")
            case .integer, .double: return equal(name, node, ifMissing: node.number == 0)
            default: return equal(name, node, ifMissing: false)
            }
        }
        guard !node.members.isEmpty, node.members.allSatisfy({ $0.key.text.hasPrefix("$") }) else {
            return fail("it compares a mapping, and attributes are plain values", node)
        }
        return .all(node.members.map { operation(name, $0.key.text, $0.value, depth: depth) })
    }

    private mutating func equal(_ name: String, _ node: Node, ifMissing: Bool) -> ForeignCondition {
        guard let test = AttributeTest(name, .exact, comparable: node.jsonValue) else {
            return fail("the value cannot be compared", node)
        }
        return .oneOf([test], ifMissing: ifMissing)
    }

    private mutating func operation(
        _ name: String, _ operation: String, _ node: Node, depth: Int
    ) -> ForeignCondition {
        switch operation {
        case "$eq": return node.isNothing ? .not(.exists(name)) : equal(name, node, ifMissing: false)
        case "$ne": return node.isNothing ? .exists(name) : .not(equal(name, node, ifMissing: false))
        // A missing attribute is 0 in an order.
        case "$lt": return order(name, .less, node) { 0 < $0 }
        case "$lte": return order(name, .lessOrEqual, node) { 0 <= $0 }
        case "$gt": return order(name, .greater, node) { 0 > $0 }
        case "$gte": return order(name, .greaterOrEqual, node) { 0 >= $0 }
        case "$exists": return node.isTruthy ? .exists(name) : .not(.exists(name))
        case "$in": return member(name, of: node)
        case "$nin": return node.isSequence ? .not(member(name, of: node)) : .constant(false)
        case "$inGroup": return member(name, ofGroup: node)
        case "$notInGroup": return .not(member(name, ofGroup: node))
        case "$not": return .not(test(name, node, depth: depth + 1))
        // A missing attribute is version 0, which is before all versions of three numbers.
        case "$veq": return version(name, .versionEqual, node, ifMissing: false)
        case "$vne": return .not(version(name, .versionEqual, node, ifMissing: false))
        case "$vlt": return version(name, .versionLess, node, ifMissing: true)
        case "$vlte": return version(name, .versionLessOrEqual, node, ifMissing: true)
        case "$vgt": return version(name, .versionGreater, node, ifMissing: false)
        case "$vgte": return version(name, .versionGreaterOrEqual, node, ifMissing: false)
        default: return fail("\(quoted(operation)) has no equivalent", node)
        }
    }

    private mutating func order(
        _ name: String, _ match: AttributeTest.Match, _ node: Node, ifMissing: (Double) -> Bool
    ) -> ForeignCondition {
        guard node.text != nil, let test = AttributeTest(name, match, comparable: node.jsonValue) else {
            return fail("only numbers have an order", node)
        }
        return .oneOf([test], ifMissing: ifMissing(node.number ?? 0))
    }

    private mutating func member(_ name: String, of list: Node) -> ForeignCondition {
        let values = list.elements.filter { !$0.isNothing }
        let tests = values.compactMap { AttributeTest(name, .exact, comparable: $0.jsonValue) }
        guard tests.count == values.count else { return fail("a value of the list cannot be compared", list) }
        let hasNull = values.count < list.elements.count
        return tests.isEmpty && hasNull ? .not(.exists(name)) : .oneOf(tests, ifMissing: hasNull)
    }

    private mutating func member(_ name: String, ofGroup node: Node) -> ForeignCondition {
        guard let id = node.text, let group = savedGroups?[id], group.isSequence else {
            return fail("the file does not have the saved group \(node.summary)", node)
        }
        return member(name, of: group)
    }

    private mutating func version(
        _ name: String, _ match: AttributeTest.Match, _ node: Node, ifMissing: Bool
    ) -> ForeignCondition {
        guard let version = node.text?.plainVersion(isPadded: false) else {
            return fail("only versions of three numbers without suffix are translated", node)
        }
        return .oneOf([AttributeTest(name, match, .string(version))], ifMissing: ifMissing)
    }
}

extension Node {
    /// Whether a value counts as true in JavaScript.
    var isTruthy: Bool {
        guard text != nil else { return true }
        switch jsonValue {
        case .null, .bool(false), .string(""), .integer(0), .double(0): return false
        default: return true
        }
    }
}
