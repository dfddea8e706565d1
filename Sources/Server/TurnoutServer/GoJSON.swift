package import TurnoutEngine

// JSON as Go's encoder writes it, for clients of the vendor's Agent that compare texts: numbers without `.0`, sorted
// members of maps, and `<`, `>` and `&` escaped.

extension JSONWriter {
    /// Creates a writer of Go's numbers.
    package static func go() -> JSONWriter { JSONWriter(style: .readable) }

    /// Writes a double with the exponents that Go uses; `null` for NaN and the infinities.
    package mutating func goNumber(_ value: Double) {
        if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 { return self.integer(integer) }
        guard value.isFinite else { return null() }
        raw(GoNumber.text(value))
    }

    /// Writes a value; the keys of objects are sorted.
    package mutating func goValue(_ value: JSONValue) {
        switch value {
        case .double(let value): goNumber(value)
        case .array(let elements): goArray(elements) { $0.goValue($1) }
        case .object(let members): goObject(members) { $0.goValue($1) }
        default: self.value(value)
        }
    }

    private mutating func goArray<Element>(_ elements: [Element], write: (inout JSONWriter, Element) -> Void) {
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    private mutating func goObject<Member>(_ members: [String: Member], write: (inout JSONWriter, Member) -> Void) {
        object { writer in
            for (key, member) in members.sorted(by: { $0.key < $1.key }) { writer.member(key) { write(&$0, member) } }
        }
    }

    /// Writes the value of an attribute or a tag; the keys of dictionaries are sorted.
    package mutating func goValue(_ value: AttributeValue) {
        switch value {
        case .string(let text): string(text)
        case .integer(let value): integer(value)
        case .double(let value): goNumber(value)
        case .float(let value): goNumber(Double(value))
        case .bool(let value): bool(value)
        case .array(let elements): goArray(elements) { $0.goValue($1) }
        case .object(let members): goObject(members) { $0.goValue($1) }
        case .null, .opaque: null()
        }
    }

    /// Writes attributes as an object, sorted by name.
    package mutating func goValue(_ attributes: Attributes) {
        object { writer in
            for (name, value) in attributes.sorted(by: { $0.name < $1.name }) {
                writer.member(name) { $0.goValue(value) }
            }
        }
    }

    /// Writes the values of a flag's variables as an object, sorted by key.
    package mutating func goValue(_ variables: Variables) {
        object { writer in
            for (key, value) in variables.all.sorted(by: { $0.key < $1.key }) {
                writer.member(key) { $0.goValue(value.jsonValue ?? .null) }
            }
        }
    }

    /// The bytes written so far as Go's encoder ends a document: escaped for HTML, and with a line break.
    package var goDocument: [UInt8] {
        let escaped = withBytes { bytes -> [UInt8]? in
            guard bytes.contains(where: \.isEscapedByGo) else { return nil }
            return bytes.reduce(into: []) { $1.appendEscaped(to: &$0) }
        }
        guard var document = escaped else {
            return withBytes { bytes in
                [UInt8](unsafeUninitializedCapacity: bytes.count + 1) { room, count in
                    UnsafeMutableRawBufferPointer(room).copyMemory(from: bytes)
                    room[bytes.count] = UInt8(ascii: "\n")
                    count = bytes.count + 1
                }
            }
        }
        document.append(UInt8(ascii: "\n"))
        return document
    }
}

extension UInt8 {
    /// Whether Go writes the byte as an escape. Outside of strings, JSON has no such bytes.
    fileprivate var isEscapedByGo: Bool {
        self == UInt8(ascii: "<") || self == UInt8(ascii: ">") || self == UInt8(ascii: "&")
    }

    fileprivate func appendEscaped(to bytes: inout [UInt8]) {
        switch self {
        case UInt8(ascii: "<"): bytes += "\\u003c".utf8
        case UInt8(ascii: ">"): bytes += "\\u003e".utf8
        case UInt8(ascii: "&"): bytes += "\\u0026".utf8
        default: bytes.append(self)
        }
    }
}

/// Numbers as Go spells them: digits from 1e-6 up to 1e21, and exponents beyond.
private enum GoNumber {
    static func text(_ value: Double) -> String {
        let text = value.description
        guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...]) else {
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        let sign = text.hasPrefix("-") ? "-" : ""
        var mantissa = text[..<mark].drop { $0 == "-" }
        if mantissa.hasSuffix(".0") { mantissa = mantissa.dropLast(2) }
        guard (-6..<21).contains(exponent) else {
            return sign + mantissa + (exponent < 0 ? "e-" : "e+") + String(exponent.magnitude)
        }
        let digits = mantissa.filter { $0 != "." }
        if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits }
        let missing = exponent + 1 - digits.count
        guard missing < 0 else { return sign + digits + String(repeating: "0", count: missing) }
        return sign + digits.prefix(exponent + 1) + "." + digits.dropFirst(exponent + 1)
    }
}
