/// A type whose values can be attributes, also as optionals:
///
/// ```swift
/// let ada = client.user("ada", attributes: ["country": account.country, "plan": Plan.gold, "age": age])
/// ```
///
/// Nil leaves an attribute out; in a literal that contains only literals, it is an explicit null.
///
/// Strings, Booleans, numbers, arrays and dictionaries conform. An enumeration with such a raw value conforms by
/// declaration:
///
/// ```swift
/// enum Plan: String, AttributeConvertible { case free, gold }
/// ```
///
/// Audiences compare numbers and text, but no dates, so `Date` does not conform: which number it is depends on the unit
/// in which the project's audiences are written, and a conformance would choose one silently. Pass the number. With an
/// audience in seconds since 1970, and `createdAt` a `Date?`:
///
/// ```swift
/// let ada = client.user("ada", attributes: ["created_at": account.createdAt?.timeIntervalSince1970])
/// ```
///
/// ``attributeValue`` is read once, on the caller's thread, when the user is created. It cannot fail: a value that has
/// no meaning for audiences can be ``AttributeValue/null``.
public protocol AttributeConvertible: Sendable {
    /// The value as an attribute.
    var attributeValue: AttributeValue { get }
}

extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
    /// The raw value as an attribute.
    public var attributeValue: AttributeValue { rawValue.attributeValue }
}

extension AttributeConvertible where Self: BinaryInteger {
    /// The integer; a double if it does not fit a signed 64-bit integer.
    public var attributeValue: AttributeValue { AttributeValue(self) }
}

extension Int: AttributeConvertible {
    /// The integer.
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension UInt: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
extension UInt64: AttributeConvertible {}

extension AttributeValue: AttributeConvertible {
    /// The value itself.
    public var attributeValue: AttributeValue { self }
}

extension String: AttributeConvertible {
    /// The string.
    public var attributeValue: AttributeValue { .string(self) }
}

extension Substring: AttributeConvertible {
    /// The text as a string.
    public var attributeValue: AttributeValue { .string(String(self)) }
}

extension Bool: AttributeConvertible {
    /// The Boolean.
    public var attributeValue: AttributeValue { .bool(self) }
}

extension Double: AttributeConvertible {
    /// The number.
    public var attributeValue: AttributeValue { .double(self) }
}

extension Float: AttributeConvertible {
    /// The number.
    public var attributeValue: AttributeValue { .float(self) }
}

extension Array: AttributeConvertible where Element: AttributeConvertible {
    /// The elements as an array.
    public var attributeValue: AttributeValue { .array(map(\.attributeValue)) }
}

extension Dictionary: AttributeConvertible where Key == String, Value: AttributeConvertible {
    /// The members as a dictionary.
    public var attributeValue: AttributeValue { .object(mapValues(\.attributeValue)) }
}
