/// The value of a flag's variable.
public enum VariableValue: Sendable, Equatable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int)
    /// A double. NaN and the infinities are possible here, though not in a decision.
    case double(Double)
    /// A Boolean.
    case boolean(Bool)
    /// A JSON object.
    case json([String: JSONValue])

    /// Parses a value, or returns nil if it is not of this type. The rules are those of the vendor's client.
    ///
    /// | type | accepts |
    /// | --- | --- |
    /// | string, other | anything |
    /// | integer | an optional sign and decimal digits, within 64 bits |
    /// | double | what Swift's `Double` reads, hexadecimal, `inf` and `nan` included |
    /// | boolean | exactly `true` and `false` |
    /// | json | a JSON object |
    public init?(_ text: String, type: Variable.ValueType) {
        switch type {
        case .string, .other: self = .string(text)
        case .integer:
            guard let value = Int(text) else { return nil }
            self = .integer(value)
        case .double:
            guard let value = Double(text) else { return nil }
            self = .double(value)
        case .boolean:
            guard text == "true" || text == "false" else { return nil }
            self = .boolean(text == "true")
        case .json:
            guard case .object(let members)? = try? JSONValue(parsing: text) else { return nil }
            self = .json(members)
        }
    }

    /// Whether JSON can represent the value.
    var isFinite: Bool {
        if case .double(let value) = self { value.isFinite } else { true }
    }

    /// The value as JSON, or nil for NaN and the infinities.
    public var jsonValue: JSONValue? {
        switch self {
        case .string(let value): .string(value)
        case .integer(let value): .integer(Int64(value))
        case .double(let value): value.isFinite ? .double(value) : nil
        case .boolean(let value): .bool(value)
        case .json(let members): .object(members)
        }
    }
}

extension VariableValue: CustomStringConvertible {
    /// A string as it is, everything else as JSON.
    public var description: String {
        switch self {
        case .string(let text): return text
        case .double(let number) where !number.isFinite: return "\(number)"
        default:
            var writer = JSONWriter()
            writer.value(jsonValue ?? .null)
            return writer.text
        }
    }
}
