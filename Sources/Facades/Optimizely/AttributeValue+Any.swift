import Foundation
package import TurnoutEngine

extension AttributeValue {
    /// Converts a caller's value. A value of a type that no audience supports is reduced to its description, for
    /// reasons.
    ///
    /// The conversion compares types instead of casting, because Foundation numbers cast to Boolean and back. The value
    /// is borrowed: an initializer owns its arguments otherwise, and would copy this one to look into it.
    package init(anyValue value: borrowing Any) {
        if let plain = PlainValue.value(of: value) {
            self = plain
        } else {
            self = AnyReader().value(of: value, depth: 0)
        }
    }
}

/// Converts the types that nearly all attributes have. A cast takes ten times as long as comparing the types and
/// reinterpreting the value.
private enum PlainValue {
    static func value(of value: Any) -> AttributeValue? {
        func plainValue<Value>(_ value: Value) -> AttributeValue? { Self.plainValue(value) }
        return _openExistential(value, do: plainValue)
    }

    @inline(__always)
    private static func plainValue<Value>(_ value: Value) -> AttributeValue? {
        if Value.self == String.self { return .string(unsafeBitCast(value, to: String.self)) }
        if Value.self == Int.self { return .integer(Int64(unsafeBitCast(value, to: Int.self))) }
        if Value.self == Double.self { return .double(unsafeBitCast(value, to: Double.self)) }
        if Value.self == Bool.self { return .bool(unsafeBitCast(value, to: Bool.self)) }
        // The content of an `Any?` arrives wrapped in `Any` once more.
        if Value.self == Any.self { return Self.value(of: unsafeBitCast(value, to: Any.self)) }
        return nil
    }
}

/// Converts values of rare types, including nested ones.
private final class AnyReader {
    /// Deeper values could exhaust the stack, and larger ones the memory: an object may be referenced many times.
    private static let depthLimit = 64
    private var rest = 100_000

    func value(of value: Any, depth: Int) -> AttributeValue {
        rest -= 1
        guard depth < Self.depthLimit, rest > 0 else { return .opaque(description: "too large", isNull: false) }
        if let plain = PlainValue.value(of: value) { return plain }
        let type = type(of: value)
        // Only objects are cast to classes: a cast would bridge any other value with all its contents.
        if type is AnyClass { return objectValue(of: value, depth: depth) }
        switch value {
        case let optional as any OptionalValue:
            return optional.content.map { self.value(of: $0, depth: depth) } ?? .null
        case let number as Float where type == Float.self: return .float(number)
        case let number as any FixedWidthInteger: return AttributeValue(number)
        case let elements as [Any]: return .array(elements.map { self.value(of: $0, depth: depth + 1) })
        case let members as [String: Any]: return .object(members.mapValues { self.value(of: $0, depth: depth + 1) })
        default: return foreignValue(of: value)
        }
    }

    private func foreignValue(of value: Any) -> AttributeValue {
        #if arch(x86_64) && !os(Windows) && !os(Android)
            if let number = value as? Float80 { return .double(Double(number)) }
        #endif
        return .opaque(description: String(describing: value), isNull: false)
    }

    private func objectValue(of object: Any, depth: Int) -> AttributeValue {
        switch object {
        case is NSNull: return .opaque(description: "<null>", isNull: true)
        case let number as NSNumber where !(object is Decimal): return boxed(number)
        case let text as NSString: return .string(text as String)
        case let array as NSArray:
            return .array((0..<array.count).map { value(of: array.object(at: $0), depth: depth + 1) })
        case let dictionary as NSDictionary:
            let names = dictionary.allKeys.compactMap { ($0 as? String) ?? ($0 as? NSString).map { $0 as String } }
            guard names.count == dictionary.count else { break }
            let members = names.map { ($0, value(of: dictionary.object(forKey: $0) ?? NSNull(), depth: depth + 1)) }
            return .object(Dictionary(members) { $1 })
        default: break
        }
        return .opaque(description: "\(type(of: object))", isNull: false)
    }

    private func boxed(_ number: NSNumber) -> AttributeValue {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): .bool(number.boolValue)
        case CChar(UInt8(ascii: "f")): .float(number.floatValue)
        case CChar(UInt8(ascii: "d")): .double(number.doubleValue)
        case CChar(UInt8(ascii: "Q")): AttributeValue(number.uint64Value)
        default: .integer(number.int64Value)
        }
    }
}

extension Attributes {
    /// Converts a caller's attributes; nil is an explicit null.
    package init(anyValues values: [String: Any?]) {
        self.init(capacity: values.count)
        for (name, value) in values { add(name, value.map { AttributeValue(anyValue: $0) } ?? .null) }
    }

    package init(anyValues values: [String: Any]) {
        self.init(capacity: values.count)
        for (name, value) in values { add(name, AttributeValue(anyValue: value)) }
    }
}

/// Identifies optionals among values of type `Any`.
protocol OptionalValue {
    /// The wrapped value, or nil.
    var content: Any? { get }
}

extension Optional: OptionalValue {
    var content: Any? { self }
}

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
