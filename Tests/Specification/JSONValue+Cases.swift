// Parsing of cases: missing members are nil, and attribute values are tagged with their type.

extension JSONValue {
    var text: String? { if case .string(let value) = self { value } else { nil } }
    var flag: Bool? { if case .bool(let value) = self { value } else { nil } }
    var elements: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    var members: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The texts of a list.
    var texts: [String] { (elements ?? []).compactMap(\.text) }

    /// Whether two values are equal; 1 and 1.0 are the same number.
    func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { key, value in right[key]?.isSame(as: value) ?? false }
        default: self == other || (number != nil && number == other.number)
        }
    }
}

extension AttributeValue {
    /// Parses a tagged value: `["i", 5]`, `["nan"]`, `["a", […]]`.
    init(tagged value: JSONValue) {
        let parts = value.elements ?? []
        let payload = parts.count > 1 ? parts[1] : .null
        switch parts.first?.text ?? "" {
        case "s": self = .string(payload.text ?? "")
        case "i", "u8": self = .integer(payload.integer ?? 0)
        case "d": self = .double(payload.number ?? 0)
        case "f": self = .float(Float(payload.number ?? 0))
        case "b": self = .bool(payload.flag ?? false)
        case "null": self = .null
        case "nsnull": self = .opaque(description: "<null>", isNull: true)
        case "nan": self = .double(.nan)
        case "inf": self = .double(.infinity)
        case "-inf": self = .double(-.infinity)
        case "date": self = .opaque(description: "1970-01-01 00:00:00 +0000", isNull: false)
        case "a": self = .array((payload.elements ?? []).map { AttributeValue(tagged: $0) })
        case "o": self = .object((payload.members ?? [:]).mapValues { AttributeValue(tagged: $0) })
        default: self = .opaque(description: "unknown tag", isNull: false)
        }
    }
}

extension User {
    /// The user of a case.
    init(_ id: String, of input: JSONValue) {
        let attributes = (input["attributes"]?.members ?? [:]).mapValues { AttributeValue(tagged: $0) }
        self.init(id, attributes: Attributes(attributes))
        segments = Set(input["segments"]?.texts ?? [])
    }
}
