import TurnoutEngine

extension JSONValue {
    /// Whether two values are equal. Numbers are compared by value, so 1 equals 1.0; a number never equals a Boolean.
    func isEquivalent(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
            return Int64(exactly: double) == integer
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            return left.allSatisfy { key, value in right[key].map(value.isEquivalent) ?? false }
        default: return self == other
        }
    }
}
