import TurnoutEngine

/// Lays out a node as YAML.
struct YAMLWriter {
    /// Comments by the keys from the root to the member below them.
    let comments: [[String]: String]

    /// The longest line with a mapping or list in flow style.
    private static let width = 80
    /// A member of a section with more lines separates all members of the section by blank lines.
    private static let longMember = 4

    func document(_ node: Node) -> String {
        let head = comments[[]].map { Self.comment($0, indentation: 0) + "\n" } ?? ""
        switch node.content {
        case .mapping(let members) where !members.isEmpty: return head + block(members, indentation: 0, path: [])
        case .sequence(let elements) where !elements.isEmpty: return head + block(elements, indentation: 0)
        default: return head + value(node, indentation: -2, column: 0, path: nil).drop { $0 == " " }
        }
    }

    /// A key and its colon. libyaml finds the colon of a key within 1,024 characters; longer keys are marked as keys.
    static func keyWithColon(_ text: String, inFlow: Bool, newline: String = " ") -> String {
        let key = YAMLScalar.key(text, inFlow: inFlow)
        return key.utf8.count < 1_000 ? key + ":" : "? \(key)\(newline):"
    }

    // MARK: Block style

    /// Members in lines of their own. The path is nil inside lists, where comments have no place.
    private func block(_ members: [Node.Member], indentation: Int, path: [String]?) -> String {
        let margin = String(repeating: " ", count: indentation)
        let texts = members.map { member in
            let inner = path.map { $0 + [member.key.text] }
            let comment = inner.flatMap { comments[$0] }.map { Self.comment($0, indentation: indentation) } ?? ""
            let key = Self.keyWithColon(member.key.text, inFlow: false, newline: "\n" + margin)
            let column = indentation + (key.utf8.lastIndex(of: 0x0A) == nil ? key.utf8.count : 1)
            return comment + margin + key + value(member.value, indentation: indentation, column: column, path: inner)
        }
        return separated(texts, level: path?.count)
    }

    /// The members of the first two levels with blank lines between them.
    private func separated(_ texts: [String], level: Int?) -> String {
        switch level {
        case 0:
            var result = ""
            var wasLong = false
            for (index, text) in texts.enumerated() {
                let isLong = Self.lineCount(text) > 1
                result += (index > 0 && (isLong || wasLong) ? "\n" : "") + text
                wasLong = isLong
            }
            return result
        case 1: return texts.joined(separator: texts.contains { Self.lineCount($0) > Self.longMember } ? "\n" : "")
        default: return texts.joined()
        }
    }

    private func block(_ elements: [Node], indentation: Int) -> String {
        let margin = String(repeating: " ", count: indentation)
        return elements.map { element in
            let text: String
            switch element.content {
            case .mapping(let members)
            where element.hasSeveralMembers || !isFlow(element, column: indentation + 2, path: nil):
                text = Self.inline(block(members, indentation: indentation + 2, path: nil), indentation + 2)
            case .sequence(let elements) where !isFlow(element, column: indentation + 2, path: nil):
                text = Self.inline(block(elements, indentation: indentation + 2), indentation + 2)
            default: text = value(element, indentation: indentation, column: indentation + 1, path: nil)
            }
            return margin + "-" + text
        }.joined()
    }

    /// A value after its key or dash, from the space before it to the end of its last line.
    private func value(_ node: Node, indentation: Int, column: Int, path: [String]?) -> String {
        switch node.content {
        case .scalar(let text, let isQuoted):
            return literalBlock(text, indentation: indentation + 2)
                ?? " " + YAMLScalar.value(text, isQuoted: isQuoted, inFlow: false) + "\n"
        case .mapping(let members) where !isFlow(node, column: column, path: path):
            return "\n" + block(members, indentation: indentation + 2, path: path)
        case .sequence(let elements) where !isFlow(node, column: column, path: path):
            return "\n" + block(elements, indentation: indentation + 2)
        default: return " " + node.flowYAML(inFlow: false) + "\n"
        }
    }

    private func isFlow(_ node: Node, column: Int, path: [String]?) -> Bool {
        switch node.content {
        case .mapping(let members):
            if members.isEmpty { return true }
            // A section of the file, or a part of it with comments inside.
            if path?.count == 1 { return false }
            if let path, members.contains(where: { comments[path + [$0.key.text]] != nil }) { return false }
        case .sequence(let elements): if elements.isEmpty { return true }
        case .scalar: break
        }
        return node.isSmall(room: Self.width - column - 1)
    }

    // MARK: Text

    /// A multiline text as a literal block (`|`), if it can be written there unchanged; otherwise nil.
    private func literalBlock(_ text: String, indentation: Int) -> String? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1 else { return nil }
        let endsWithBreak = lines.last?.isEmpty == true
        if endsWithBreak { lines.removeLast() }
        let isClear = lines.allSatisfy { $0.utf8.last != 0x20 && $0.unicodeScalars.allSatisfy(YAMLScalar.isPrintable) }
        guard isClear, let first = lines.first, !first.isEmpty, first.utf8.first != 0x20, lines.last?.isEmpty == false
        else { return nil }
        let margin = String(repeating: " ", count: max(indentation, 2))
        return (endsWithBreak ? " |\n" : " |-\n") + lines.map { $0.isEmpty ? "\n" : "\(margin)\($0)\n" }.joined()
    }

    private static func comment(_ text: String, indentation: Int) -> String {
        let margin = String(repeating: " ", count: indentation)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var clean = String.UnicodeScalarView()
            for scalar in line.unicodeScalars { clean.append(YAMLScalar.isPrintable(scalar) ? scalar : " ") }
            return clean.isEmpty ? "\(margin)#\n" : "\(margin)# \(String(clean))\n"
        }.joined()
    }

    /// A block that begins in the line of a dash. Counts bytes, because a space and a mark after it are one character.
    private static func inline(_ block: String, _ indentation: Int) -> String {
        " " + String(Substring(block.utf8.dropFirst(indentation)))
    }

    private static func lineCount(_ text: String) -> Int { text.utf8.count { $0 == 0x0A } }
}

extension Node {
    /// The node as YAML that reads back as the same node, with a newline at the end.
    ///
    /// Mappings and lists that fit in a line, and hold little else than scalars, are in flow style: `{plan: premium}`.
    /// All others are in block style, indented by two spaces. Blank lines separate the sections of the file, and the
    /// members of a section with long ones, such as flags. libyaml's emitter can write neither comments nor blank
    /// lines, and does not indent lists; this is why the layout is made here.
    ///
    /// - Parameter comments: Comments by the keys from the root to the member that they stand above; that of `[]`
    ///   stands at the head of the file.
    /// - Returns: The text.
    /// - Complexity: O(n · d) for a text of n bytes with d levels of nesting.
    package func yaml(comments: [[String]: String] = [:]) -> String { YAMLWriter(comments: comments).document(self) }

    /// The node as YAML in one line, in flow style.
    ///
    /// - Parameter inFlow: Whether it stands inside a mapping or list in flow style.
    /// - Returns: The text, without a newline.
    package func flowYAML(inFlow: Bool) -> String {
        var text = ""
        writeFlow(to: &text, inFlow: inFlow)
        return text
    }

    private func writeFlow(to text: inout String, inFlow: Bool) {
        switch content {
        case .scalar(let scalar, let isQuoted):
            text += YAMLScalar.value(scalar, isQuoted: isQuoted, inFlow: inFlow)
        case .sequence(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                text += index == 0 ? "" : ", "
                element.writeFlow(to: &text, inFlow: true)
            }
            text += "]"
        case .mapping(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                text += (index == 0 ? "" : ", ") + YAMLWriter.keyWithColon(member.key.text, inFlow: true) + " "
                member.value.writeFlow(to: &text, inFlow: true)
            }
            text += "}"
        }
    }

    /// Whether the node is a mapping with more than one member. Such elements of lists, as rules, are in block style.
    var hasSeveralMembers: Bool {
        guard case .mapping(let members) = content else { return false }
        return members.count > 1
    }

    /// Whether the node is small enough for a line: at most two collections inside, little text, no line breaks.
    func isSmall(room: Int) -> Bool {
        var rest = (bytes: room, collections: 3)
        return takeRoom(of: &rest)
    }

    /// Takes the room of the node; false as soon as there is not enough.
    private func takeRoom(of rest: inout (bytes: Int, collections: Int)) -> Bool {
        switch content {
        case .scalar(let text, _):
            rest.bytes -= text.utf8.count
            return rest.bytes >= 0 && !text.utf8.contains(0x0A)
        case .sequence(let elements):
            rest.collections -= 1
            rest.bytes -= 2 * max(1, elements.count)
            return rest.bytes >= 0 && rest.collections >= 0
                && elements.allSatisfy { !$0.hasSeveralMembers && $0.takeRoom(of: &rest) }
        case .mapping(let members):
            rest.collections -= 1
            rest.bytes -= 2 * max(1, members.count)
            return rest.bytes >= 0 && rest.collections >= 0
                && members.allSatisfy {
                    rest.bytes -= $0.key.text.utf8.count + 2
                    return $0.value.takeRoom(of: &rest)
                }
        }
    }
}

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
        let (letter, width) = scalar.value <= 0xFF ? ("x", 2) : ("u", 4)
        return "\\\(letter)" + scalar.value.hexadecimal(width: width, uppercase: true)
    }
}
