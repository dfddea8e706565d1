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
