import Foundation
package import TurnoutEngine

// Between JSON and the values that the interface takes and returns.

extension JSONValue {
    /// The value as callers know it: a `String`, `Int`, `Double`, `Bool`, `[Any]`, `[String: Any]` or `NSNull`.
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

    /// Takes a caller's value, or returns nil: JSON has no such value. That are NaN, the infinities and foreign types,
    /// also deep inside. Nil counts as null.
    package init?(anyValue value: Any?) { self.init(value.map { AttributeValue(anyValue: $0) } ?? .null) }

    /// Takes a caller's map, or returns nil: some value in it is none that JSON has.
    package static func object(_ map: [String: Any]) -> JSONValue? {
        let members = map.compactMapValues { JSONValue(anyValue: $0) }
        return members.count == map.count ? .object(members) : nil
    }
}
