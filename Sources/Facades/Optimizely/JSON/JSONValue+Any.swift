import Foundation
package import TurnoutEngine

// Conversion between JSON and the values of the public interface.

extension JSONValue {
    /// The value as a `String`, `Int`, `Double`, `Bool`, `[Any]`, `[String: Any]` or `NSNull`.
    package var anyValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(exactly: value) ?? value
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
