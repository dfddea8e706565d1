// Decodes `Decodable` types from JSON values, by the rules of Foundation's JSON decoder without options.

extension JSONValue {
    /// Decodes the value.
    ///
    /// - Throws: `DecodingError`, or what the type's initializer throws.
    package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try Value(from: JSONValueDecoder(value: self, codingPath: []))
    }

    /// The kind of value, for errors.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer, .unsigned, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch(type, "an object") }
        return KeyedDecodingContainer(JSONObjectContainer(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self, "an array") }
        return JSONArrayContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(type, "a Boolean") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let value) = value else { throw mismatch(type, "a string") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = value.number else { throw mismatch(type, "a number") }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float {
        let value = Float(try decode(Double.self))
        guard value.isFinite else { throw outOfRange(type) }
        return value
    }

    /// Decodes each type of integer, because a generic function may stand for several requirements.
    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        let result: Value?
        switch value {
        case .integer(let value): result = Value(exactly: value)
        case .unsigned(let value): result = Value(exactly: value)
        case .double(let value): result = Value(exactly: value)
        default: throw mismatch(type, "a number")
        }
        guard let result else { throw outOfRange(type) }
        return result
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func outOfRange(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "the number does not fit \(type)"))
    }
}

/// The members of a JSON object. Each value decodes itself.
private struct JSONObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: try decoder(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = JSONPathKey.member("super")
        return JSONValueDecoder(value: members[key.stringValue] ?? .null, codingPath: codingPath + [key])
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> JSONValueDecoder {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath + [key], debugDescription: "the member is missing"))
        }
        return JSONValueDecoder(value: value, codingPath: codingPath + [key])
    }
}

/// The elements of a JSON array. Each element decodes itself.
private struct JSONArrayContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try decoder().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try Value(from: $0) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    /// Decodes an element. The next one follows only if that succeeds.
    private mutating func next<Value>(_ decode: (JSONValueDecoder) throws -> Value) throws -> Value {
        let value = try decode(try decoder())
        currentIndex += 1
        return value
    }

    private func decoder() throws -> JSONValueDecoder {
        let path = codingPath + [JSONPathKey.index(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: path, debugDescription: "the array has no more elements"))
        }
        return JSONValueDecoder(value: elements[currentIndex], codingPath: path)
    }
}

/// A step of a coding path.
private enum JSONPathKey: CodingKey {
    case member(String)
    case index(Int)

    init(stringValue: String) { self = .member(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .member(let key): key
        case .index(let index): "\(index)"
        }
    }

    var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}

extension DecodingError {
    /// The path and the cause: `$.colors[0]: expected a string, found a number`.
    var problem: String {
        let context: Context
        switch self {
        case .typeMismatch(_, let cause), .valueNotFound(_, let cause), .keyNotFound(_, let cause),
            .dataCorrupted(let cause):
            context = cause
        @unknown default: return "\(self)"
        }
        let path = context.codingPath.map { key in
            key.intValue.map { JSONError.PathComponent.index($0) } ?? .key(key.stringValue)
        }
        return (path.isEmpty ? "" : JSONError.text(of: path) + ": ") + context.debugDescription
    }
}
