import TurnoutEngine

/// Reads queries of GO Feature Flag, such as `plan eq "pro" and not (age lt 18)`.
///
/// `and` and `or` have the same precedence, and are evaluated from left to right. A comparison with a missing attribute
/// is not met, whatever it compares.
struct TargetingQuery {
    /// Why a query cannot be read.
    struct Problem: Error {
        let reason: String
    }

    /// A part of the text of a query.
    enum Token: Equatable {
        case word(String)
        case text(String)
        case symbol(UInt8)
    }

    static let tokenLimit = 5_000
    private static let depthLimit = 60

    private let bytes: [UInt8]
    private let userIDs: Set<String>
    private let defaults: [String: JSONValue]
    private var tokens: ArraySlice<Token> = []
    /// Why parts have no translation.
    private(set) var reasons: [String] = []
    /// Whether a text with letters is compared, whose case does not matter there.
    private(set) var comparesCase = false

    init(_ bytes: [UInt8], userIDs: Set<String>, defaults: [String: JSONValue]) {
        self.bytes = bytes
        self.userIDs = userIDs
        self.defaults = defaults
    }

    /// The condition.
    mutating func condition() throws(Problem) -> ForeignCondition {
        tokens = try Self.tokens(of: bytes)[...]
        let condition = try query(depth: 0)
        guard tokens.isEmpty else { throw Problem(reason: "the query does not end after a condition") }
        return condition
    }

    // MARK: Grammar

    private mutating func query(depth: Int) throws(Problem) -> ForeignCondition {
        guard depth < Self.depthLimit else { throw Problem(reason: "the query is nested too deeply") }
        var result = try term(depth: depth)
        var changes = 0
        while let next = tokens.first, next == .word("and") || next == .word("or") {
            tokens.removeFirst()
            let operand = try term(depth: depth)
            switch (next == .word("and"), result) {
            case (true, .all(let operands)): result = .all(operands + [operand])
            case (false, .any(let operands)): result = .any(operands + [operand])
            case (let isAll, _):
                changes += 1
                guard changes < Self.depthLimit else { throw Problem(reason: "the query is nested too deeply") }
                result = isAll ? .all([result, operand]) : .any([result, operand])
            }
        }
        return result
    }

    private mutating func term(depth: Int) throws(Problem) -> ForeignCondition {
        guard let first = tokens.popFirst() else { throw Problem(reason: "the query ends too early") }
        if first == .symbol(UInt8(ascii: "(")) { return try closed(depth: depth) }
        guard case .word(let name) = first else { throw Problem(reason: "the query has a value without an attribute") }
        if ["not", "NOT"].contains(name), tokens.first == .symbol(UInt8(ascii: "(")) {
            tokens.removeFirst()
            return .not(try closed(depth: depth))
        }
        guard case .word(let comparison)? = tokens.popFirst() else {
            throw Problem(reason: "the query has no comparison after \(quoted(name))")
        }
        let isPresence = comparison == "pr"
        let values = isPresence ? [] : try values()
        if userIDs.contains(name) {
            return fail("it tests the id of the user (\(quoted(name))), which is not an attribute")
        }
        guard !name.utf8.contains(UInt8(ascii: ".")) else {
            return fail("\(quoted(name)) is inside another value, and attributes are plain values")
        }
        return isPresence ? .exists(name) : test(name, comparison, values)
    }

    private mutating func closed(depth: Int) throws(Problem) -> ForeignCondition {
        let inner = try query(depth: depth + 1)
        guard tokens.popFirst() == .symbol(UInt8(ascii: ")")) else { throw Problem(reason: "the query lacks a )") }
        return inner
    }

    /// A value, or the values of a list.
    private mutating func values() throws(Problem) -> [Token] {
        guard let first = tokens.popFirst() else { throw Problem(reason: "the query ends too early") }
        guard first == .symbol(UInt8(ascii: "[")) else { return [first] }
        var values: [Token] = []
        while let value = tokens.popFirst() {
            values.append(value)
            guard tokens.popFirst() == .symbol(UInt8(ascii: ",")) else { return values }
        }
        throw Problem(reason: "the query lacks a ]")
    }

    private mutating func fail(_ reason: String) -> ForeignCondition {
        reasons.append(reason)
        return .untranslatable
    }

    // MARK: Comparisons

    private mutating func test(_ name: String, _ comparison: String, _ values: [Token]) -> ForeignCondition {
        guard let word = Self.comparisons[comparison.lowercased()] else {
            return fail("the comparison \(quoted(comparison)) has no equivalent")
        }
        if word == .in {
            let tests = values.compactMap { value(of: $0).flatMap { AttributeTest(name, .exact, comparable: $0) } }
            guard tests.count == values.count else { return fail("a value of the list cannot be compared") }
            return .oneOf(tests, ifMissing: false)
        }
        guard values.count == 1 else { return fail("a list is compared by \(quoted(comparison))") }
        if case .word(let text) = values[0], text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 {
            return version(name, word, text)
        }
        guard let value = value(of: values[0]) else { return fail("a value of the query cannot be compared") }
        if value == .null {
            switch word {
            case .equal: return .not(.exists(name))
            case .notEqual: return .exists(name)
            default: return fail("null has no order")
            }
        }
        if case .string(let text) = value, text.lowercased() != text.uppercased() { comparesCase = true }
        if word == .contains, case .string = value {
            return .oneOf([AttributeTest(name, .substring, value)], ifMissing: false)
        }
        guard let match = word.match, let test = AttributeTest(name, match, comparable: value) else {
            return fail("\(quoted(comparison)) has no equivalent for this value")
        }
        let fallback = defaults[name]
        return word == .notEqual
            ? .not(.oneOf([test], ifMissing: fallback.map { $0 == value } ?? true))
            : .oneOf([test], ifMissing: match == .exact && fallback == value)
    }

    private mutating func version(_ name: String, _ word: Comparison, _ text: String) -> ForeignCondition {
        guard let version = text.plainVersion(isPadded: false), let match = word.versionMatch else {
            return fail("the version \(quoted(text)) cannot be compared")
        }
        let test = AttributeTest(name, match, .string(version))
        return word == .notEqual ? .not(.oneOf([test], ifMissing: true)) : .oneOf([test], ifMissing: false)
    }

    private func value(of token: Token) -> JSONValue? {
        switch token {
        case .text(let text): .string(text)
        case .word(let text): Node.literal(text)
        case .symbol: nil
        }
    }
}
