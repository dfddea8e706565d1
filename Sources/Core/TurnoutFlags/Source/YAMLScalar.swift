import TurnoutEngine

/// How a text is spelled as a scalar of YAML, in one line.
enum YAMLScalar {
    /// A value: without quotes if it then reads back as the same value. A string that would be a number, a Boolean or
    /// null gets quotes; `on`, `off` and `yes` do not, because project files read them as text.
    static func value(_ text: String, isQuoted: Bool, inFlow: Bool) -> String {
        guard let literal = Node.literal(text) else { return isPlain(text, inFlow: inFlow) ? text : quoted(text) }
        if isQuoted { return quoted(text) }
        if literal == .null { return text == "~" ? text : "null" }
        return isPlain(text, inFlow: inFlow) ? text : quoted(text)
    }

    /// A key, which is text in any spelling.
    static func key(_ text: String, inFlow: Bool) -> String {
        text != "<<" && isPlain(text, inFlow: inFlow) ? text : quoted(text)
    }

    /// Whether a text without quotes is a scalar of YAML with this text.
    private static func isPlain(_ text: String, inFlow: Bool) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last, first != 0x20, last != 0x20,
            last != UInt8(ascii: ":"), isPlainStart(bytes), text.unicodeScalars.allSatisfy(isPrintable)
        else { return false }
        var previous = first
        for byte in bytes {
            if inFlow, ",[]{}?".utf8.contains(byte) { return false }
            if byte == 0x20, previous == UInt8(ascii: ":") { return false }
            if byte == UInt8(ascii: "#"), previous == 0x20 { return false }
            previous = byte
        }
        return true
    }

    private static func isPlainStart(_ bytes: String.UTF8View) -> Bool {
        guard let first = bytes.first, !"?:,[]{}#&*!|>'\"%@`".utf8.contains(first) else { return false }
        // A list item, or a marker of documents.
        if first == UInt8(ascii: "-") { return bytes.dropFirst().first.map(isLetterOrDigit) == true }
        return !bytes.starts(with: "...".utf8)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }

    /// Whether a scalar may stand in a text of one line as it is.
    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...: true
        default: false
        }
    }

    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        if text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }),
            !text.utf8.contains(UInt8(ascii: "'")), scalars.allSatisfy(isPrintable)
        {
            return "'\(text)'"
        }
        var result = "\""
        for scalar in scalars {
            switch scalar {
            case "\"", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isPrintable(scalar): result.unicodeScalars.append(scalar)
            default: result += escape(scalar)
            }
        }
        return result + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let (letter, width) = scalar.value <= 0xFF ? ("x", 2) : ("u", 4)
        return "\\\(letter)" + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
