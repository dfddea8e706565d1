import Foundation
package import TurnoutEngine

// Conversion between JSON and the values of the public interface.

extension JSONValue {
    /// The value as a `String`, `Int`, `UInt64`, `Double`, `Bool`, `[Any]`, `[String: Any]` or `NSNull`.
    package var anyValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(exactly: value) ?? value
        case .unsigned(let value): value
        case .double(let value): value
        case .string(let value): value
        case .array(let elements): elements.map(\.anyValue)
        case .object(let members): members.mapValues(\.anyValue)
        }
    }

    /// Converts a caller's value; nil if JSON cannot represent it: NaN, infinities and unsupported types, also nested
    /// ones. A nil value becomes null.
    package init?(anyValue value: Any?) { self.init(value.map { AttributeValue(anyValue: $0) } ?? .null) }

    /// Converts a caller's dictionary; nil if JSON cannot represent one of its values.
    package static func object(_ map: [String: Any]) -> JSONValue? {
        let members = map.compactMapValues { JSONValue(anyValue: $0) }
        return members.count == map.count ? .object(members) : nil
    }
}

extension JSONValue {
    /// Whether two values are equal. Numbers are compared by value, so 1 equals 1.0; a number never equals a Boolean.
    func isEquivalent(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
            return Int64(exactly: double) == integer
        case (.unsigned(let integer), .double(let double)), (.double(let double), .unsigned(let integer)):
            return UInt64(exactly: double) == integer
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            return left.allSatisfy { key, value in right[key].map(value.isEquivalent) ?? false }
        default: return self == other
        }
    }
}
