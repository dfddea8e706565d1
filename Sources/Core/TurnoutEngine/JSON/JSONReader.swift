/// Reads a JSON text value by value, without building a tree.
///
/// The reader is a cursor over bytes: callers request the value they expect next and receive it, or an error with line
/// and column. It follows RFC 8259 with two extensions that real datafiles need: a UTF-8 byte order mark at the start,
/// and a comma after the last element of an array or object.
///
/// It exists because a datafile must be usable a few milliseconds after it arrives (Documentation/Decisions/0001).
package struct JSONReader: ~Copyable {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var cursor: UnsafePointer<UInt8>
    /// The remaining levels of nesting.
    private var remainingDepth: Int
    /// The text of the last string that contained escapes. Allocated for the first one.
    var scratch: UnsafeMutablePointer<UInt8>?
    var scratchCapacity = 0
    /// Whether skipped values may contain numbers outside the range of doubles.
    private var allowsAnyNumber = true

    private init(start: UnsafePointer<UInt8>, count: Int, depth: Int) {
        self.start = start
        end = start + count
        cursor = start
        remainingDepth = depth
    }

    deinit { scratch?.deallocate() }

    /// Reads one document: `body` consumes exactly one value, and only white space may follow.
    package static func read<Result>(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .standard,
        _ body: (inout JSONReader) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            throw JSONError(message: "the text is empty", line: 1, column: 1)
        }
        var reader = JSONReader(start: start, count: bytes.count, depth: limits.depth)
        guard bytes.count <= limits.size else {
            throw reader.error("the text has \(bytes.count) bytes, the limit is \(limits.size)", at: start)
        }
        reader.skipByteOrderMark()
        let result = try body(&reader)
        guard reader.peek() == nil else { throw reader.error("expected the end of the text") }
        return result
    }

    private mutating func skipByteOrderMark() {
        guard end - start >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF else { return }
        cursor += 3
    }

    /// The number of bytes before the cursor.
    package var offset: Int { cursor - start }

    // MARK: Structure

    /// The first byte of the next token, or nil at the end of the text.
    @inline(__always)
    package mutating func peek() -> UInt8? {
        while cursor < end {
            let byte = cursor.pointee
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            cursor += 1
        }
        return nil
    }

    @inline(__always)
    package mutating func enterObject() throws(JSONError) {
        guard peek() == UInt8(ascii: "{") else { throw unexpected("an object") }
        try enter()
    }

    @inline(__always)
    package mutating func enterArray() throws(JSONError) {
        guard peek() == UInt8(ascii: "[") else { throw unexpected("an array") }
        try enter()
    }

    @inline(__always)
    private mutating func enter() throws(JSONError) {
        guard remainingDepth > 0 else { throw error("nested too deeply") }
        remainingDepth -= 1
        cursor += 1
    }

    /// The key of the object's next member, or nil at the end of the object. The cursor is then at the value.
    @inline(__always)
    package mutating func nextKey(isFirst: inout Bool) throws(JSONError) -> JSONText? {
        guard try advance(to: UInt8(ascii: "}"), isFirst: &isFirst) else { return nil }
        guard cursor.pointee == UInt8(ascii: "\"") else { throw error("expected a key in double quotes") }
        let key = try readString()
        guard peek() == UInt8(ascii: ":") else { throw error("expected a colon after the key") }
        cursor += 1
        return key
    }

    /// Leaves the object if it ends at the cursor; otherwise does nothing. Most objects end without white space: this
    /// saves a failed guess. ``nextKey(isFirst:)`` handles all other ends.
    @inline(__always)
    mutating func leaveObject() -> Bool {
        guard cursor < end, cursor.pointee == UInt8(ascii: "}") else { return false }
        cursor += 1
        remainingDepth += 1
        return true
    }

    /// The key of the object's next member as a string. Out of line to keep the stack frames of recursive functions
    /// small.
    @inline(never)
    mutating func nextName(isFirst: inout Bool) throws(JSONError) -> String? {
        try nextKey(isFirst: &isFirst)?.key
    }

    /// The key of the object's next member with its place, the quotes included, or nil at the end of the object.
    package mutating func nextKeyWithRange(
        isFirst: inout Bool
    ) throws(JSONError) -> (text: String, range: Range<Int>)? {
        guard try advance(to: UInt8(ascii: "}"), isFirst: &isFirst) else { return nil }
        guard cursor.pointee == UInt8(ascii: "\"") else { throw error("expected a key in double quotes") }
        let first = offset
        let text = try readString().key
        let range = first..<offset
        guard peek() == UInt8(ascii: ":") else { throw error("expected a colon after the key") }
        cursor += 1
        return (text, range)
    }

    /// Whether the array has another element; the cursor is then at it.
    @inline(__always)
    package mutating func nextElement(isFirst: inout Bool) throws(JSONError) -> Bool {
        try advance(to: UInt8(ascii: "]"), isFirst: &isFirst)
    }

    /// Skips the comma between elements; returns false once `close` is consumed.
    @inline(__always)
    private mutating func advance(to close: UInt8, isFirst: inout Bool) throws(JSONError) -> Bool {
        var byte = peek()
        if !isFirst, byte == UInt8(ascii: ",") {
            cursor += 1
            byte = peek()
        } else if !isFirst, byte != close {
            throw error("expected a comma or the end of the \(close == UInt8(ascii: "}") ? "object" : "array")")
        }
        isFirst = false
        guard byte == close else {
            guard byte != nil else { throw error("the text ends too early") }
            return true
        }
        cursor += 1
        remainingDepth += 1
        return false
    }

    // MARK: Literals

    /// Consumes `null` if it comes next.
    @inline(__always)
    package mutating func skipNull() throws(JSONError) -> Bool {
        guard peek() == UInt8(ascii: "n") else { return false }
        try consume("null")
        return true
    }

    /// Reads `true` or `false`.
    package mutating func readBool() throws(JSONError) -> Bool {
        switch peek() {
        case UInt8(ascii: "t"):
            try consume("true")
            return true
        case UInt8(ascii: "f"):
            try consume("false")
            return false
        default: throw unexpected("true or false")
        }
    }

    /// Inlined with its callers, so that a literal is compared without a loop.
    @inline(__always)
    private func isNext(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        return end - cursor >= count && (0..<count).allSatisfy { cursor[$0] == literal.utf8Start[$0] }
    }

    @inline(__always)
    private mutating func consume(_ literal: StaticString) throws(JSONError) {
        guard isNext(literal) else { throw error("expected \(literal)") }
        cursor += literal.utf8CodeUnitCount
    }

    // MARK: Skipping

    /// Skips the next value after validating it.
    package mutating func skipValue() throws(JSONError) {
        var isFirst = true
        switch peek() {
        case UInt8(ascii: "{"):
            try enterObject()
            while try skipName(isFirst: &isFirst) { try skipValue() }
        case UInt8(ascii: "["):
            try enterArray()
            while try nextElement(isFirst: &isFirst) { try skipValue() }
        default: try skipScalar()
        }
    }

    /// Reads an object. If `body` throws, moves behind the object by its brackets alone.
    ///
    /// - Returns: Whether `body` has read it.
    package mutating func readObject(
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) -> Bool {
        _ = peek()
        let (first, depth) = (cursor, remainingDepth)
        do throws(JSONError) {
            try body(&self)
            return true
        } catch {
            (cursor, remainingDepth) = (first, depth)
            guard skipBrackets() else { throw error }
            return false
        }
    }

    /// Moves behind the closing bracket of the value at the cursor. Returns whether there is one.
    private mutating func skipBrackets() -> Bool {
        var (level, isString) = (0, false)
        while cursor < end {
            let byte = cursor.pointee
            cursor += 1
            switch byte {
            case UInt8(ascii: "\\") where isString: cursor += 1
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "{") where !isString, UInt8(ascii: "[") where !isString: level += 1
            case UInt8(ascii: "}") where !isString, UInt8(ascii: "]") where !isString:
                level -= 1
                if level == 0 { return true }
            default: break
            }
        }
        cursor = end
        return false
    }

    @inline(never)
    private mutating func skipScalar() throws(JSONError) {
        switch peek() {
        case UInt8(ascii: "\""): _ = try readString()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try readBool()
        case UInt8(ascii: "n"): try consume("null")
        default:
            let first = cursor
            if try readNumber() == .outOfRange, !allowsAnyNumber { throw outOfRange(at: first) }
        }
    }

    /// The text of the next value, which must be a number, a Boolean or null.
    package mutating func readLiteralText() throws(JSONError) -> String {
        let next = peek()
        guard next != UInt8(ascii: "\""), next != UInt8(ascii: "{"), next != UInt8(ascii: "[") else {
            throw unexpected("a number, a Boolean or null")
        }
        let first = cursor
        try skipScalar()
        return String(decoding: UnsafeBufferPointer(start: first, count: cursor - first), as: UTF8.self)
    }

    @inline(never)
    private mutating func skipName(isFirst: inout Bool) throws(JSONError) -> Bool {
        try nextKey(isFirst: &isFirst) != nil
    }

    /// Whether a text is a JSON object.
    static func isObject(_ text: String) -> Bool {
        text.withBytes { bytes in
            do throws(JSONError) {
                return try read(bytes) { (reader) throws(JSONError) in
                    reader.allowsAnyNumber = false
                    let isObject = reader.peek() == UInt8(ascii: "{")
                    try reader.skipValue()
                    return isObject
                }
            } catch { return false }
        }
    }

    // MARK: Errors

    /// An error at `place`, or at the cursor.
    func error(_ message: String, at place: UnsafePointer<UInt8>? = nil) -> JSONError {
        let before = UnsafeBufferPointer(start: start, count: (place ?? cursor) - start)
        let lastBreak = before.lastIndex(of: 0x0A) ?? -1
        let line = before.count(where: { $0 == 0x0A }) + 1
        return JSONError(message: message, line: line, column: before.count - lastBreak)
    }

    /// The error for a number outside the range of doubles.
    func outOfRange(at place: UnsafePointer<UInt8>) -> JSONError {
        error("the number is beyond the range of a double", at: place)
    }

    /// The error for a value of another type than `expected`.
    mutating func unexpected(_ expected: String) -> JSONError {
        let found: String =
            switch peek() {
            case nil: "the end of the text"
            case UInt8(ascii: "\""): "a string"
            case UInt8(ascii: "{"): "an object"
            case UInt8(ascii: "["): "an array"
            case .some where isNext("true") || isNext("false"): "a Boolean"
            case .some where isNext("null"): "null"
            case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"): "a number"
            case .some: "something that is not JSON"
            }
        return error("expected \(expected), found \(found)")
    }
}

/// The maximum size and depth of a JSON text.
///
/// Both limits guard against hostile input: the depth bounds the stack, the size bounds memory.
public struct JSONLimits: Sendable, Equatable {
    /// The deepest nesting of arrays and objects. Default: 512, the limit of Foundation's reader, so every file that
    /// the vendor's client accepts is accepted here.
    public var depth = 512
    /// The largest text in bytes. Default: 256 MiB, a hundred times the largest datafile of the
    /// benchmarks.
    public var size = 256 << 20

    /// The default limits.
    public static let standard = JSONLimits()

    /// Creates the standard limits.
    public init() {}
}
