/// A variable of a flag.
public struct Variable: Sendable {
    let project: Project
    let index: Int

    /// The type of a variable's values.
    public enum ValueType: Sendable, Equatable {
        /// A string.
        case string
        /// A 64-bit integer.
        case integer
        /// A number.
        case double
        /// `true` or `false`.
        case boolean
        /// A JSON object.
        case json
        /// A type unknown to this version; values are kept as strings.
        case other

        init(name: String) {
            self =
                switch name {
                case "string": .string
                case "integer": .integer
                case "double": .double
                case "boolean": .boolean
                case "json": .json
                default: .other
                }
        }

        /// Whether there are strings that are not values of this type.
        var canBeInvalid: Bool { self != .string && self != .other }

        /// Whether a string is a value of this type that JSON can represent.
        func accepts(_ text: String) -> Bool {
            if self == .json { return JSONReader.isObject(text) }
            if self == .double, text.isShortDecimal { return true }
            guard let value = VariableValue(text, type: self) else { return false }
            return value.isFinite
        }
    }

    var row: VariableRow { project.tables.variables[index] }

    /// The variable's id, which overrides in variations refer to.
    public var id: String { project.text(row.id) }
    /// The variable's key.
    public var key: String { project.text(row.key) }
    /// The type of the values.
    public var type: ValueType { row.type }
    /// The type as the datafile names it; `json` for a string of subtype json.
    public var typeName: String { project.text(row.typeName) }
    /// The value unless a variation overrides it, as a string.
    public var defaultValue: String { project.text(row.defaultValue) }
}

extension String {
    /// Whether the string is a decimal such as `12` or `0.5`, too short to be infinite. Most numbers in datafiles are;
    /// converting one takes ten times as long.
    fileprivate var isShortDecimal: Bool {
        withBytes { text in
            guard let first = text.first, let last = text.last, text.count <= 300 else { return false }
            var points = 0
            for byte in text where byte &- 0x30 >= 10 {
                guard byte == UInt8(ascii: ".") else { return false }
                points += 1
            }
            return points <= 1 && first != UInt8(ascii: ".") && last != UInt8(ascii: ".")
        }
    }
}

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
        default: return (jsonValue ?? .null).compactText
        }
    }
}
