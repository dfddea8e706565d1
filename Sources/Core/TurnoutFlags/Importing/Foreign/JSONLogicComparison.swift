import TurnoutEngine

/// A comparison of two values in JsonLogic.
enum JSONLogicComparison {
    case equal, less, lessOrEqual, greater, greaterOrEqual

    /// The comparison with both sides exchanged.
    var mirrored: JSONLogicComparison {
        switch self {
        case .equal: .equal
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    /// The test of an attribute that is the left side.
    var match: AttributeTest.Match {
        switch self {
        case .equal: .exact
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }

    /// Whether it holds for two values. Null equals null alone, but in an order it is 0.
    func holds(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch self {
        case .equal: Self.isEqual(left, right)
        case .less: Self.isLess(left, right)
        case .lessOrEqual: Self.isLess(left, right) || Self.isEqual(left, right)
        case .greater: Self.isLess(right, left)
        case .greaterOrEqual: Self.isLess(right, left) || Self.isEqual(left, right)
        }
    }

    private static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if left == .null || right == .null { return left == right }
        if case .string = left, case .string = right { return left == right }
        return number(left) == number(right)
    }

    private static func isLess(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if case .string(let left) = left, case .string(let right) = right { return left < right }
        return number(left) < number(right)
    }

    private static func number(_ value: JSONValue) -> Double {
        switch value {
        case .null: 0
        case .bool(let value): value ? 1 : 0
        case .integer, .unsigned, .double: value.number ?? .nan
        case .string(let text): text.isEmpty ? 0 : Double(text) ?? .nan
        case .array, .object: .nan
        }
    }
}
