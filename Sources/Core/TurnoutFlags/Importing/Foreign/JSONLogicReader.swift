import TurnoutEngine

/// Translates conditions in JsonLogic, as flagd and GO Feature Flag evaluate them.
struct JSONLogicReader {
    /// The operators whose result is true or false.
    static let operators: Set<String> = [
        "==", "===", "!=", "!==", "<", "<=", ">", ">=", "in", "!", "!!", "and", "or", "sem_ver", "starts_with",
        "ends_with",
    ]
    /// References to shared conditions can multiply without limit.
    private static let nodeLimit = 10_000
    private static let depthLimit = 100

    /// Conditions that others refer to by name.
    private let evaluators: Node?
    /// Variables that hold the id of the user, which is not an attribute.
    private let userIDs: Set<String>
    /// Values of variables that a user does not have.
    private let defaults: [String: JSONValue]
    /// The parts without a translation.
    private(set) var problems: [UntranslatablePart] = []
    private var nodeCount = 0

    init(evaluators: Node? = nil, userIDs: Set<String>, defaults: [String: JSONValue] = [:]) {
        self.evaluators = evaluators
        self.userIDs = userIDs
        self.defaults = defaults
    }

    /// Forgets the problems and the size of the last flag.
    mutating func beginFlag() {
        problems = []
        nodeCount = 0
    }

    /// The node that a reference names, or the node itself.
    func resolved(_ node: Node) -> Node {
        var node = node
        for _ in 0..<Self.depthLimit {
            guard node.members.count == 1, let name = node["$ref"]?.text, let named = evaluators?[name] else { break }
            node = named
        }
        return node
    }

    /// Whether a part may still be read. If not, it is noted.
    mutating func enter(_ node: Node, _ depth: Int) -> Bool {
        nodeCount += 1
        if nodeCount <= Self.nodeLimit, depth <= Self.depthLimit { return true }
        if nodeCount <= Self.nodeLimit + 1 { _ = fail("the targeting is too large or too deep", node) }
        return false
    }

    private mutating func fail(_ reason: String, _ node: Node) -> ForeignCondition {
        problems.append(UntranslatablePart(reason: reason, node: node))
        return .untranslatable
    }

    // MARK: Conditions

    /// The condition that a node is.
    mutating func condition(_ unresolved: Node, depth: Int = 0) -> ForeignCondition {
        let node = resolved(unresolved)
        guard enter(node, depth) else { return .untranslatable }
        guard let member = node.members.first, node.members.count == 1 else { return constant(node) }
        let value = member.value
        let operands = value.isSequence ? value.elements : [value]
        switch member.key.text {
        case "and": return .all(operands.map { condition($0, depth: depth + 1) })
        case "or": return .any(operands.map { condition($0, depth: depth + 1) })
        case "!" where operands.count == 1: return .not(condition(operands[0], depth: depth + 1))
        case "!!" where operands.count == 1: return condition(operands[0], depth: depth + 1)
        case "==", "===": return comparison(.equal, operands, node)
        case "!=", "!==": return .not(comparison(.equal, operands, node))
        case "<": return comparison(.less, operands, node)
        case "<=": return comparison(.lessOrEqual, operands, node)
        case ">": return comparison(.greater, operands, node)
        case ">=": return comparison(.greaterOrEqual, operands, node)
        case "in" where operands.count == 2: return membership(operands[0], operands[1], node)
        case "sem_ver" where operands.count == 3: return version(operands, node)
        case "var": return comparison(.equal, [node, .bool(true)], node)
        case let name: return fail("\(quoted(name)) has no equivalent", node)
        }
    }

    /// A value in place of a condition. A list, an empty text, 0, false and null count as not met.
    private mutating func constant(_ node: Node) -> ForeignCondition {
        guard node.text != nil else { return fail("a list or mapping is not a condition", node) }
        switch node.jsonValue {
        case .null, .bool(false), .string(""), .integer(0), .double(0): return .constant(false)
        default: return .constant(true)
        }
    }

    /// The operand of an operator.
    private enum Operand {
        case literal(JSONValue)
        /// A variable, with its value if the user lacks it.
        case variable(String, ifMissing: JSONValue)
    }

    /// Reads an operand; nil if it has no translation, which is noted.
    private mutating func operand(_ unresolved: Node) -> Operand? {
        let node = resolved(unresolved)
        guard node.isMapping else { return .literal(node.jsonValue) }
        guard let value = node["var"], node.members.count == 1 else {
            _ = fail("a computed value is compared", node)
            return nil
        }
        let name = (value.isSequence ? value.elements.first : value)?.text ?? ""
        if userIDs.contains(name) {
            _ = fail("it tests the id of the user (\(quoted(name))), which is not an attribute", node)
        } else if name.isEmpty || name.utf8.contains(UInt8(ascii: ".")) || name.hasPrefix("$flagd") {
            _ = fail("\(quoted(name)) is inside another value, and attributes are plain values", node)
        } else {
            let fallback = value.elements.count > 1 ? value.elements[1].jsonValue : defaults[name] ?? .null
            return .variable(name, ifMissing: fallback)
        }
        return nil
    }

    private mutating func comparison(
        _ comparison: JSONLogicComparison, _ operands: [Node], _ node: Node
    ) -> ForeignCondition {
        if operands.count == 3, comparison != .equal {
            let pairs = [[operands[0], operands[1]], [operands[1], operands[2]]]
            return .all(pairs.map { self.comparison(comparison, $0, node) })
        }
        guard operands.count == 2 else { return fail("a comparison needs two values", node) }
        guard let left = operand(operands[0]), let right = operand(operands[1]) else { return .untranslatable }
        switch (left, right) {
        case (.literal(let left), .literal(let right)): return .constant(comparison.holds(left, right))
        case (.variable, .variable): return fail("two attributes are compared with each other", node)
        case (.variable(let name, let missing), .literal(let value)):
            return test(name, missing, comparison, value, node)
        case (.literal(let value), .variable(let name, let missing)):
            return test(name, missing, comparison.mirrored, value, node)
        }
    }

    private mutating func test(
        _ name: String, _ missing: JSONValue, _ comparison: JSONLogicComparison, _ value: JSONValue, _ node: Node
    ) -> ForeignCondition {
        let ifMissing = comparison.holds(missing, value)
        // An attribute that the user has never equals null.
        if value == .null, comparison == .equal { return ifMissing ? .not(.exists(name)) : .constant(false) }
        guard let test = AttributeTest(name, comparison.match, comparable: value) else {
            return fail(comparison == .equal ? "the value cannot be compared" : "only numbers have an order", node)
        }
        return .oneOf([test], ifMissing: ifMissing)
    }

    /// A list with the value of a variable, or a variable whose text contains another.
    private mutating func membership(_ element: Node, _ list: Node, _ node: Node) -> ForeignCondition {
        guard let element = operand(element), let list = operand(list) else { return .untranslatable }
        switch (element, list) {
        case (.variable(let name, let missing), .literal(.array(let values))):
            let tests = values.compactMap { AttributeTest(name, .exact, comparable: $0) }
            guard tests.count == values.count else { return fail("a value of the list cannot be compared", node) }
            return .oneOf(tests, ifMissing: missing != .null && values.contains(missing))
        case (.literal(.string(let text)), .variable(let name, .null)):
            return .oneOf([AttributeTest(name, .substring, .string(text))], ifMissing: false)
        default: return fail("\"in\" is supported only for a list of values and for a substring", node)
        }
    }

    private mutating func version(_ operands: [Node], _ node: Node) -> ForeignCondition {
        guard let variable = operand(operands[0]) else { return .untranslatable }
        guard case .variable(let name, .null) = variable,
            let version = operands[2].text?.plainVersion(isPadded: true)
        else { return fail("\"sem_ver\" is translated for an attribute and a version without suffix only", node) }
        func test(_ match: AttributeTest.Match, ifMissing: Bool = false) -> ForeignCondition {
            .oneOf([AttributeTest(name, match, .string(version))], ifMissing: ifMissing)
        }
        switch operands[1].text {
        case "=": return test(.versionEqual)
        case "!=": return .not(test(.versionEqual, ifMissing: true))
        case "<": return test(.versionLess)
        case "<=": return test(.versionLessOrEqual)
        case ">": return test(.versionGreater)
        case ">=": return test(.versionGreaterOrEqual)
        default: return fail("the operator \(quoted(operands[1].text ?? "")) of \"sem_ver\" has no equivalent", node)
        }
    }
}
