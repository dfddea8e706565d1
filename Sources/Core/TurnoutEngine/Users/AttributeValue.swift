/// The value of a user's attribute.
///
/// Write literals: `["country": "US", "age": 25, "score": 0.5, "beta": true]`.
public enum AttributeValue: Sendable, Equatable {
    /// A string.
    case string(String)
    /// An integer. Audiences compare it as a double and reject magnitudes above 2^53.
    case integer(Int64)
    /// A double.
    case double(Double)
    /// A single-precision number, compared as a double: 0.1 as a `Float` is not equal to 0.1 as a `Double`.
    case float(Float)
    /// A Boolean, never equal to a number.
    case bool(Bool)
    /// An array. Audiences can only compare it for equality with an array.
    case array([AttributeValue])
    /// A dictionary. Audiences can only compare it for equality with a dictionary.
    case object([String: AttributeValue])
    /// An explicit null.
    case null
    /// A value of a type that audiences do not support, such as a date. `description` appears in reasons; `isNull`
    /// marks the platform's null objects, which do not count as existing.
    case opaque(description: String, isNull: Bool)

    /// The value that a text of a person looks like: a JSON number, Boolean, null or quoted string, or else the text.
    package init(typed text: String) {
        switch try? JSONValue(parsing: text) {
        case .array, .object, nil: self = .string(text)
        case let value?: self = AttributeValue(value)
        }
    }

    /// Whether an `exists` condition is met.
    var exists: Bool {
        switch self {
        case .null, .opaque(_, isNull: true): false
        default: true
        }
    }

    /// The value as a double, or nil if it is not a number.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        default: nil
        }
    }
}

extension AttributeValue: CustomStringConvertible {
    /// The value as Swift prints it: strings without quotes, except inside arrays and dictionaries.
    public var description: String {
        switch self {
        case .string(let value): value
        default: nestedDescription
        }
    }

    /// The value with quoted strings.
    var debugText: String { nestedDescription }

    private var nestedDescription: String {
        switch self {
        case .string(let value): value.debugDescription
        case .integer(let value): value.description
        case .double(let value): value.description
        case .float(let value): value.description
        case .bool(let value): value.description
        case .array(let elements): "[" + elements.map(\.nestedDescription).joined(separator: ", ") + "]"
        case .object(let members):
            members.isEmpty
                ? "[:]"
                : "["
                    + members.sorted { $0.key < $1.key }
                    .map { "\($0.key.debugDescription): \($0.value.nestedDescription)" }.joined(separator: ", ") + "]"
        case .null: "nil"
        case .opaque(let description, _): description
        }
    }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string value.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer value.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a double value.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an explicit null.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array value.
    public init(arrayLiteral elements: AttributeValue...) { self = .array(elements) }
    /// Creates a dictionary value; of duplicate keys the last wins.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension AttributeValue {
    /// Creates a string value.
    public init(_ value: String) { self = .string(value) }
    /// Creates a Boolean value.
    public init(_ value: Bool) { self = .bool(value) }
    /// Creates a double value.
    public init(_ value: Double) { self = .double(value) }
    /// Creates an integer value. One that does not fit a signed 64-bit integer becomes a double, which audiences reject
    /// as out of range.
    public init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map { .integer($0) } ?? .double(Double(value))
    }

    /// Converts a JSON value.
    public init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = .double(Double(value))
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .array(elements.map { AttributeValue($0) })
        case .object(let members): self = .object(members.mapValues { AttributeValue($0) })
        }
    }
}

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
