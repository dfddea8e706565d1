import TurnoutEngine

/// Reads property lists in XML, in UTF-8; ``RolloutConfiguration`` converts those in UTF-16.
///
/// Only XML's five entities and numeric ones are supported; a document that declares others is refused, so nothing is
/// fetched or expanded. Dates and data, which no configuration contains, are read as null.
struct XMLPropertyList {
    private struct Tag {
        var name: String
        var isEnd = false
        var isEmpty = false
        func isEnd(of name: String) -> Bool { isEnd && self.name == name }
    }

    private static let depthLimit = 64
    private let bytes: [UInt8]
    private var place = 0

    static func read(_ bytes: [UInt8]) throws(RolloutConfigurationError) -> JSONValue {
        var list = XMLPropertyList(bytes: bytes)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw list.error("the text is neither UTF-8 nor UTF-16; save the file as UTF-8")
        }
        let root = try list.nextTag()
        guard root.name == "plist", !root.isEnd, !root.isEmpty else {
            throw list.error("expected <plist>, found <\(root.name.prefix(40))>")
        }
        let value = try list.value(try list.nextTag(), depth: 0)
        guard try list.nextTag().isEnd(of: "plist") else { throw list.error("expected </plist>") }
        return value
    }

    // MARK: Values

    private mutating func value(_ tag: Tag, depth: Int) throws(RolloutConfigurationError) -> JSONValue {
        guard !tag.isEnd else { throw error("expected a value, found </\(tag.name)>") }
        guard depth < Self.depthLimit else { throw error("nested deeper than \(Self.depthLimit) levels") }
        switch tag.name {
        case "dict": return .object(try members(tag, depth: depth))
        case "array": return .array(try elements(tag, depth: depth))
        case "string": return .string(try text(tag))
        case "true", "false":
            _ = try text(tag)
            return .bool(tag.name == "true")
        case "integer", "real": return try number(try text(tag).trimmingSpace)
        case "date", "data":
            _ = try text(tag)
            return .null
        default: throw error("<\(tag.name.prefix(40))> is not an element of a property list")
        }
    }

    private mutating func members(_ tag: Tag, depth: Int) throws(RolloutConfigurationError) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        while let next = try child(of: tag) {
            guard next.name == "key", !next.isEnd else { throw error("expected <key>, found <\(next.name)>") }
            let key = try text(next)
            let value = try value(try nextTag(), depth: depth + 1)
            if members[key] == nil { members[key] = value }
        }
        return members
    }

    private mutating func elements(_ tag: Tag, depth: Int) throws(RolloutConfigurationError) -> [JSONValue] {
        var elements: [JSONValue] = []
        while let next = try child(of: tag) { elements.append(try value(next, depth: depth + 1)) }
        return elements
    }

    /// The next tag inside an element, or nil at its end.
    private mutating func child(of tag: Tag) throws(RolloutConfigurationError) -> Tag? {
        if tag.isEmpty { return nil }
        let next = try nextTag()
        return next.isEnd(of: tag.name) ? nil : next
    }

    private func number(_ text: String) throws(RolloutConfigurationError) -> JSONValue {
        let sign = text.first == "-" || text.first == "+" ? text.prefix(1) : ""
        let digits = text.dropFirst(sign.count)
        if digits.hasPrefix("0x"), digits.dropFirst(2).allSatisfy(\.isHexDigit),
            let number = Int64(sign + digits.dropFirst(2), radix: 16)
        {
            return .integer(number)
        }
        if let number = Int64(text) { return .integer(number) }
        guard let number = Double(text) else {
            throw error("\(String(text.prefix(40)).debugDescription) is not a number")
        }
        return .double(number)
    }

    // MARK: Text

    /// The text of an element, up to its end.
    private mutating func text(_ tag: Tag) throws(RolloutConfigurationError) -> String {
        var text: [UInt8] = []
        while !tag.isEmpty {
            if skip("<![CDATA[") {
                text += try rest(until: "]]>")
            } else if skip("<!--") {
                _ = try rest(until: "-->")
            } else if skip("<") {
                place -= 1
                guard try nextTag().isEnd(of: tag.name) else { throw error("expected </\(tag.name)>") }
                break
            } else if skip("&") {
                text += try entity().utf8
            } else {
                guard place < bytes.count else { throw error("the text ends within <\(tag.name)>") }
                text.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func entity() throws(RolloutConfigurationError) -> String {
        let name = String(decoding: try rest(until: ";"), as: UTF8.self)
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let isHex = name.hasPrefix("#x")
            guard name.hasPrefix("#"), let code = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
                let scalar = Unicode.Scalar(code)
            else { throw error("&\(name.prefix(20)); is an unknown entity") }
            return String(scalar)
        }
    }

    // MARK: Tags

    /// The next tag. Skips whitespace, comments and declarations before it.
    private mutating func nextTag() throws(RolloutConfigurationError) -> Tag {
        while true {
            while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
            if skip("<!--") {
                _ = try rest(until: "-->")
            } else if skip("<?") {
                _ = try rest(until: "?>")
            } else if skip("<!DOCTYPE") {
                guard !(try rest(until: ">")).contains(UInt8(ascii: "[")) else {
                    throw error("the document type declares entities, which is not supported")
                }
            } else {
                return try tag()
            }
        }
    }

    private mutating func tag() throws(RolloutConfigurationError) -> Tag {
        guard skip("<") else { throw error("expected a tag") }
        let isEnd = skip("/")
        var content = try rest(until: ">")
        let isEmpty = content.last == UInt8(ascii: "/")
        if isEmpty { content.removeLast() }
        // Attributes, which only <plist> has, are ignored.
        let name = content.prefix { $0 > 0x20 }
        return Tag(name: String(decoding: name, as: UTF8.self), isEnd: isEnd, isEmpty: isEmpty)
    }

    // MARK: Bytes

    private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - place >= count, (0..<count).allSatisfy({ bytes[place + $0] == text.utf8Start[$0] }) else {
            return false
        }
        place += count
        return true
    }

    /// The bytes up to a text, which is skipped as well.
    private mutating func rest(until end: StaticString) throws(RolloutConfigurationError) -> [UInt8] {
        let start = place
        while place < bytes.count {
            let stop = place
            if skip(end) { return Array(bytes[start..<stop]) }
            place += 1
        }
        place = start
        throw error("\(end) is missing")
    }

    private func error(_ message: String) -> RolloutConfigurationError {
        let line = bytes.prefix(place).count { $0 == UInt8(ascii: "\n") } + 1
        return RolloutConfigurationError("\(message) (line \(line))")
    }
}
