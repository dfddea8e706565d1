import TurnoutClient

/// The byte ranges of the parts of a JSON text, so that they can be copied verbatim. The text must be valid.
struct JSONSlices {
    struct Member {
        let name: String
        let quotedName: Range<Int>
        let value: Range<Int>
    }

    private let text: [UInt8]

    init(_ text: [UInt8]) { self.text = text }

    /// The members of the top-level object; nil if the text is not an object.
    var members: [Member]? {
        guard let start = text.firstIndex(where: { !Self.isBlank($0) }), text[start] == UInt8(ascii: "{") else {
            return nil
        }
        var members: [Member] = []
        for part in parts(from: start) {
            guard let colon = colon(in: part) else { return nil }
            let quotedName = trimmed(part.lowerBound..<colon)
            guard case .string(let name)? = try? JSONValue(parsing: Array(text[quotedName])) else { return nil }
            members.append(Member(name: name, quotedName: quotedName, value: trimmed(colon + 1..<part.upperBound)))
        }
        return members
    }

    /// The elements of the object or array that begins at an offset, as ranges between commas.
    func parts(from start: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var (depth, isQuoted, isEscaped) = (0, false, false)
        var first = start + 1
        for place in start..<text.count {
            let byte = text[place]
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                isEscaped = byte == UInt8(ascii: "\\")
                isQuoted = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
                if depth == 0 { return (parts + [trimmed(first..<place)]).filter { !$0.isEmpty } }
            } else if byte == UInt8(ascii: ","), depth == 1 {
                parts.append(trimmed(first..<place))
                first = place + 1
            }
        }
        return parts
    }

    /// The colon after a member's name.
    private func colon(in member: Range<Int>) -> Int? {
        var (isQuoted, isEscaped) = (false, false)
        for place in member {
            let byte = text[place]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted, byte == UInt8(ascii: ":") {
                return place
            }
        }
        return nil
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        guard let first = range.first(where: { !Self.isBlank(text[$0]) }),
            let last = range.last(where: { !Self.isBlank(text[$0]) })
        else { return range.lowerBound..<range.lowerBound }
        return first..<last + 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
