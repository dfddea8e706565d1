/// A JSON value in memory.
public enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// A number written without fraction or exponent, from 2^63 to 2^64 - 1.
    case unsigned(UInt64)
    /// Any other number. One that no double can represent, such as `1e400`, is an error.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object. Of duplicate keys the first wins.
    case object([String: JSONValue])

    /// Reads a JSON text.
    ///
    /// RFC 8259, plus a byte order mark at the start and a comma after the last element.
    ///
    /// - Parameters:
    ///   - text: The JSON text in UTF-8.
    ///   - limits: The maximum depth and size of the text.
    /// - Throws: `JSONError` with line and column, for malformed or over-large text, invalid UTF-8, an unpaired
    ///   surrogate, and numbers beyond the range of a double.
    /// - Complexity: O(n) in the length of the text.
    public init(parsing text: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        self = try text.withBytes { (bytes) throws(JSONError) in try Self.read(bytes, limits) }
    }

    /// Reads a JSON text; see ``init(parsing:limits:)-([UInt8],_)``.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
        let result = text.withBytes { bytes in
            Result { () throws(JSONError) in try Self.read(bytes, limits) }
        }
        self = try result.get()
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
    ) throws(JSONError) -> JSONValue {
        try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in try reader.readValue() }
    }

    /// The value as a double, or nil if it is not a number.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The member with a key, or nil if there is none or this is not an object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }
}

extension JSONReader {
    /// Reads a value of any type.
    package mutating func readValue() throws(JSONError) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "{"): return .object(try readMembers())
        case UInt8(ascii: "["): return .array(try readElements())
        default: return try readScalar()
        }
    }

    /// Out of line to keep the recursive function's stack frame small, since threads may have small stacks.
    @inline(never)
    private mutating func readScalar() throws(JSONError) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try readString().string)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try readBool())
        case UInt8(ascii: "n"):
            _ = try skipNull()
            return .null
        default: return try readNumberValue()
        }
    }

    private mutating func readMembers() throws(JSONError) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        var isFirst = true
        try enterObject()
        while let key = try nextName(isFirst: &isFirst) {
            do throws(JSONError) {
                let value = try readValue()
                if members[key] == nil { members[key] = value }
            } catch { throw error.inside(.key(key)) }
        }
        return members
    }

    private mutating func readElements() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        var isFirst = true
        try enterArray()
        while try nextElement(isFirst: &isFirst) {
            do throws(JSONError) { elements.append(try readValue()) } catch {
                throw error.inside(.index(elements.count))
            }
        }
        return elements
    }

    private mutating func readNumberValue() throws(JSONError) -> JSONValue {
        guard peek() != nil else { throw error("expected a value, found the end of the text") }
        let first = cursor
        switch try readNumber() {
        case .integer(let value): return .integer(value)
        case .unsigned(let value): return .unsigned(value)
        case .real(let value): return .double(value)
        case .outOfRange: throw outOfRange(at: first)
        }
    }
}
