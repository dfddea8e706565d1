/// Writes JSON into a growing buffer of bytes, one value after the other.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.key("user")
/// writer.string("ada")
/// writer.endObject()
/// writer.bytes   // {"user":"ada"}
/// ```
///
/// The writer sets commas and escapes strings; that objects and arrays are closed is up to the caller. Keys stand in
/// the order they are written, so that payloads can be compared byte for byte.
public struct JSONWriter: Sendable {
    /// How the writer spells what JSON leaves open.
    public struct Style: Sendable {
        /// Whether doubles without a fraction keep a `.0`, so that a reader can tell them from integers.
        /// Default: `true`.
        public var keepsFraction = true
        /// Whether `/` is written as `\/`, as Foundation does. Default: `false`.
        public var escapesSlash = false

        /// Creates the standard style; change what you need.
        public init() {}

        /// `1` for 1.0, for people.
        static let readable: Style = {
            var style = Style()
            style.keepsFraction = false
            return style
        }()

        /// The style of Foundation's encoder: `1` for 1.0, `\/` for a slash.
        static let foundation: Style = {
            var style = Style()
            style.keepsFraction = false
            style.escapesSlash = true
            return style
        }()
    }

    /// What was written so far.
    public private(set) var bytes: [UInt8] = []
    private let style: Style
    private var needsComma = false

    /// Creates an empty writer.
    public init(style: Style = Style()) { self.style = style }

    /// What was written so far, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Forgets everything written, but keeps the memory for what comes next.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Makes room for `count` more bytes.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    // MARK: Structure

    /// Opens an object.
    public mutating func beginObject() { open("{") }
    /// Closes an object.
    public mutating func endObject() { close("}") }
    /// Opens an array.
    public mutating func beginArray() { open("[") }
    /// Closes an array.
    public mutating func endArray() { close("]") }

    /// Writes a member's key; its value must follow.
    public mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Ends a line, for formats with one document per line.
    public mutating func newline() {
        bytes.append(0x0A)
        needsComma = false
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    /// Sets the comma before a value that is then appended in pieces.
    @inline(__always)
    mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Values

    /// Writes a string, or `null`.
    public mutating func string(_ value: String?) {
        guard let value else { return null() }
        separate()
        appendQuoted(value)
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) {
        separate()
        append(value)
    }

    /// Writes the shortest decimal that reads back as the same double, or `null` for NaN and the infinities.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        var text = value.description
        if !style.keepsFraction, text.hasSuffix(".0") { text.removeLast(2) }
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        append("null")
    }

    /// Writes a value with the keys of its objects sorted by UTF-16, as Foundation's `sortedKeys` does.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (key, member) in members.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }) {
                self.key(key)
                self.value(member)
            }
            endObject()
        }
    }

    /// Writes one value that is JSON already.
    mutating func raw(_ text: String) {
        separate()
        append(text)
    }

    // MARK: Pieces, without commas

    /// Appends text as it is: a constant fragment of a payload.
    package mutating func append(_ fragment: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: fragment.utf8Start, count: fragment.utf8CodeUnitCount))
    }

    package mutating func append(_ fragment: String) {
        fragment.withBytes { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var magnitude = value.magnitude
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(magnitude % 10)
                magnitude /= 10
            } while magnitude > 0
            bytes.append(contentsOf: digits[first...])
        }
    }

    mutating func append(_ id: EventID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: EventID.textLength) { text in
            id.write(to: text)
            bytes.append(contentsOf: text)
        }
    }

    /// Appends a string in quotes, escaped where needed.
    package mutating func appendQuoted(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        value.withBytes { text in
            let isPlain = text.allSatisfy { byte in
                byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                    && (byte != UInt8(ascii: "/") || !style.escapesSlash)
            }
            if isPlain { bytes.append(contentsOf: text) } else { for byte in text { appendEscaped(byte) } }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "/") where style.escapesSlash: append("\\/")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case 0..<0x20:
            append("\\u00")
            for digit in [byte >> 4, byte & 0xF] { bytes.append(digit + (digit < 10 ? 0x30 : 0x57)) }
        default: bytes.append(byte)
        }
    }
}
