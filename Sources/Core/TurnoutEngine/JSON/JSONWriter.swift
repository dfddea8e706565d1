/// Writes JSON into a growing buffer of bytes.
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
/// The writer inserts commas and escapes strings; the caller closes objects and arrays. Keys keep the order in which
/// they are written, so payloads can be compared byte for byte.
public struct JSONWriter: Sendable {
    /// The spelling where JSON leaves a choice.
    public struct Style: Sendable {
        /// Whether doubles without a fraction keep a `.0`, which distinguishes them from integers. Default: `true`.
        public var keepsFraction = true
        /// Whether `/` is written as `\/`, as Foundation does. Default: `false`.
        public var escapesSlash = false

        /// Creates the standard style.
        public init() {}

        /// Human-readable: `1` for 1.0.
        package static let readable: Style = {
            var style = Style()
            style.keepsFraction = false
            return style
        }()

        /// The style of Foundation's encoder: `1` for 1.0, `\/` for a slash.
        package static let foundation: Style = {
            var style = Style()
            style.keepsFraction = false
            style.escapesSlash = true
            return style
        }()
    }

    private var buffer = ByteBuffer()
    private let style: Style
    private var needsComma = false

    /// Creates an empty writer.
    public init(style: Style = Style()) { self.style = style }

    /// The bytes written so far.
    ///
    /// - Complexity: O(n), a copy.
    public var bytes: [UInt8] { buffer.withBytes { Array($0) } }

    /// The text written so far.
    public var text: String { buffer.withBytes { String(decoding: $0, as: UTF8.self) } }

    /// The number of bytes written so far.
    public var count: Int { buffer.count }

    /// Calls a function with the bytes written so far, without a copy.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        buffer.withBytes { body(UnsafeRawBufferPointer($0)) }
    }

    /// Removes everything written, but keeps the capacity.
    public mutating func removeAll() {
        buffer.removeAll()
        needsComma = false
    }

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
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Ends a line, for formats with one document per line.
    public mutating func newline() {
        append(0x0A)
        needsComma = false
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        append(UInt8(ascii: bracket))
        needsComma = true
    }

    /// Writes the comma before a value that is then appended in pieces.
    @inline(__always)
    mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
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
        buffer.write(room: ByteCursor.roomForInteger) { $0.append(value) }
    }

    /// Writes the shortest decimal that reads back as the same double, or `null` for NaN and the infinities.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        var text = value.description
        if !style.keepsFraction, text.hasSuffix(".0") { text.removeLast(2) }
        separate()
        append(text)
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

    /// Writes a value with the keys of its objects sorted as Swift sorts strings, like Foundation's `sortedKeys`.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .unsigned(let value): raw(value.description)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                self.key(key)
                self.value(member)
            }
            endObject()
        }
    }

    /// Writes one value that is already JSON.
    package mutating func raw(_ text: String) {
        separate()
        append(text)
    }

    // MARK: Pieces, without commas

    package mutating func append(_ fragment: String) {
        buffer.write(room: fragment.utf8.count) { $0.append(fragment) }
    }

    /// Appends a string in quotes, escaped where needed.
    package mutating func appendQuoted(_ value: String) {
        buffer.write(room: ByteCursor.roomForQuoted(value)) {
            $0.appendQuoted(value, escapesSlash: style.escapesSlash)
        }
    }

    /// Appends pieces that together need at most `room` bytes.
    @inline(__always)
    mutating func append(room: Int, _ body: (inout ByteCursor) -> Void) { buffer.write(room: room, body) }

    @inline(__always)
    private mutating func append(_ byte: UInt8) { buffer.write(room: 1) { $0.append(byte) } }
}

// MARK: Members

extension JSONWriter {
    /// Writes a member with a string, or `null`.
    package mutating func member(_ key: String, _ value: String?) {
        self.key(key)
        string(value)
    }

    /// Writes a member with a Boolean.
    package mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// Writes a member with an integer.
    package mutating func member(_ key: String, _ value: Int) {
        self.key(key)
        integer(Int64(value))
    }

    /// Writes a member with an integer.
    package mutating func member(_ key: String, _ value: Int64) {
        self.key(key)
        integer(value)
    }

    /// Writes a member with a number, or `null` for NaN and the infinities.
    package mutating func member(_ key: String, _ value: Double) {
        self.key(key)
        double(value)
    }

    /// Writes a member with any value.
    package mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    /// Writes a member whose value a function writes.
    package mutating func member(_ key: String, _ write: (inout JSONWriter) -> Void) {
        self.key(key)
        write(&self)
    }

    /// Writes a member with a list of strings.
    package mutating func member(_ key: String, _ values: [String]) { list(key, values) { $0.string($1) } }

    /// Writes a member with a list, whose elements a function writes.
    package mutating func list<Element>(
        _ key: String, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.key(key)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    /// Writes a member with a list of objects, whose members a function writes.
    package mutating func objects<Element>(
        _ key: String, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        list(key, elements) { writer, element in writer.object { write(&$0, element) } }
    }

    /// Writes a member with an object, whose members a function writes.
    package mutating func object(_ key: String, _ write: (inout JSONWriter) -> Void) {
        self.key(key)
        object(write)
    }

    /// Writes an object, whose members a function writes.
    package mutating func object(_ write: (inout JSONWriter) -> Void) {
        beginObject()
        write(&self)
        endObject()
    }

    /// A writer that has written one object, whose members a function writes.
    package static func object(_ write: (inout JSONWriter) -> Void) -> JSONWriter {
        var writer = JSONWriter()
        writer.object(write)
        return writer
    }
}

extension JSONValue {
    /// The value in one line of JSON.
    package var compactText: String {
        var writer = JSONWriter()
        writer.value(self)
        return writer.text
    }
}
