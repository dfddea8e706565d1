/// What is known about a user under one attribute name.
///
/// Write literals: `["country": "US", "age": 25, "score": 0.5, "beta": true]`.
public enum AttributeValue: Sendable, Equatable {
    /// A text.
    case string(String)
    /// A whole number. Audiences compare it as a double and refuse magnitudes above 2^53.
    case integer(Int64)
    /// A number.
    case double(Double)
    /// A number in single precision; compared as a double, so 0.1 here is not 0.1 there.
    case float(Float)
    /// True or false, never equal to a number.
    case bool(Bool)
    /// A list. Audiences can only compare it with a list for equality.
    case array([AttributeValue])
    /// A dictionary. Audiences can only compare it with a dictionary for equality.
    case object([String: AttributeValue])
    /// The attribute was given, but explicitly without a value.
    case null
    /// A value of a type that no audience understands, such as a date. `description` is printed in reasons;
    /// `isNull` marks null objects of the platform, which do not count as existing.
    case opaque(description: String, isNull: Bool)

    /// Whether an `exists` condition is met.
    var exists: Bool {
        switch self {
        case .null, .opaque(_, isNull: true): false
        default: true
        }
    }

    /// The value as a number, or nil: not a number.
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
    /// The value as Swift prints it: texts bare, but in quotes inside lists and dictionaries.
    public var description: String {
        switch self {
        case .string(let value): value
        default: nestedDescription
        }
    }

    /// The value with texts in quotes.
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
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates the explicit absence of a value.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a list.
    public init(arrayLiteral elements: AttributeValue...) { self = .array(elements) }
    /// Creates a dictionary; of two equal keys the last wins.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension AttributeValue {
    /// A text.
    public init(_ value: String) { self = .string(value) }
    /// A truth value.
    public init(_ value: Bool) { self = .bool(value) }
    /// A number.
    public init(_ value: Double) { self = .double(value) }
    /// A whole number. One that does not fit 64 signed bits becomes a double, which audiences find out of range.
    public init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map { .integer($0) } ?? .double(Double(value))
    }

    /// Takes over a JSON value.
    public init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .array(elements.map { AttributeValue($0) })
        case .object(let members): self = .object(members.mapValues { AttributeValue($0) })
        }
    }
}
