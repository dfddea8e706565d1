import TurnoutEngine

/// The text of a project file that is edited: where its punctuation is, and how values are spelled.
struct EditedText {
    /// A range of the text with the bytes that take its place.
    struct Edit {
        let range: Range<Int>
        let text: String
    }

    let source: SourceFile
    let format: ProjectEdit.Format

    var bytes: [UInt8] { source.bytes }

    /// Whether a collection is in braces or brackets.
    func isFlow(_ node: Node) -> Bool {
        let first = first(node.range)
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private func first(_ range: Range<Int>) -> UInt8? {
        range.isEmpty || !bytes.indices.contains(range.lowerBound) ? nil : bytes[range.lowerBound]
    }

    // MARK: Spelling

    /// A value in one line.
    func spelled(_ node: Node, inFlow: Bool) -> String {
        switch format {
        case .yaml: node.flowYAML(inFlow: inFlow)
        case .json: node.jsonInOneLine
        }
    }

    /// A member in one line, or in two if its key is very long.
    func spelled(_ key: String, _ node: Node, inFlow: Bool, newline: String) -> String {
        let start =
            switch format {
            case .yaml: YAMLWriter.keyWithColon(key, inFlow: inFlow, newline: inFlow ? " " : newline)
            case .json: Node(.scalar(key, isQuoted: true)).jsonInOneLine + ":"
            }
        return start + " " + spelled(node, inFlow: inFlow)
    }

    // MARK: Lines

    /// The beginning of the line of an offset, after a byte order mark.
    func lineStart(of offset: Int) -> Int {
        let start = bytes[..<offset].lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
        return start == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : start
    }

    /// The end of the line of an offset, before its line break.
    func lineEnd(of offset: Int) -> Int {
        bytes[offset...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    }

    /// The line break at an offset, or the first one of the file: all files but broken ones have one kind.
    func lineBreak(at offset: Int) -> String {
        let place = offset < bytes.count ? offset : bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        guard place < bytes.count, bytes[place] == 0x0D else { return "\n" }
        return place + 1 < bytes.count && bytes[place + 1] == 0x0A ? "\r\n" : "\r"
    }

    /// A line break, and spaces up to the column of an offset.
    func newline(at end: Int, indentedAs offset: Int) -> String {
        lineBreak(at: end) + String(repeating: " ", count: offset - lineStart(of: offset))
    }

    /// Whether a range holds only white space.
    func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 <= 0x20 } }

    /// The text of a range.
    func text(_ range: Range<Int>) -> String { source.text(in: range) }

    /// The offset of a punctuation mark, before which only white space, comments and commas are.
    func find(_ mark: Character, in range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            switch bytes[offset] {
            case mark.asciiValue: return offset
            case UInt8(ascii: "#"): offset = lineEnd(of: offset)
            case 0...0x20, UInt8(ascii: ","): offset += 1
            default: return nil
            }
        }
        return nil
    }

    // MARK: Errors

    func error(_ message: String, at node: Node, advice: String? = nil) -> Diagnostic {
        Diagnostic(
            .error, "edit-path", message, advice: advice, at: source.position(of: node.range.lowerBound))
    }

    /// Refuses a collection that an anchor shares with other places, or that an alias takes from one.
    func refuseShared(_ node: Node, at place: EditPath) throws(Diagnostic) {
        guard format == .yaml, case let first? = first(node.range) else { return }
        let name = place.steps.isEmpty ? "the file" : "\"\(place)\""
        let start = text(node.range).prefix { !$0.isWhitespace }
        switch (first, node.content) {
        case (UInt8(ascii: "*"), .mapping), (UInt8(ascii: "*"), .sequence):
            throw error(
                "\(name) is the alias \(start); a change inside it would change every place that uses the anchor",
                at: node, advice: "Set the whole value here, or edit the file at &\(start.dropFirst()).")
        case (UInt8(ascii: "&"), .mapping), (UInt8(ascii: "&"), .sequence):
            throw error(
                "\(name) has the anchor \(start); a change inside it would change every place with its alias",
                at: node, advice: "Edit the file itself.")
        default: break
        }
    }

    /// Refuses to replace a value together with an anchor in it.
    func refuseAnchors(in parent: Node, at index: Int, _ path: EditPath) throws(Diagnostic) {
        guard format == .yaml else { return }
        var key: Node.Key?
        if case .mapping(let members) = parent.content { key = members[index].key }
        let child = parent.child(at: index)
        guard let range = key.map(\.range).flatMap(anchor) ?? anchor(inside: child) else { return }
        throw error(
            "\"\(path)\" has the anchor \(text(range).prefix { !$0.isWhitespace }), which aliases may use",
            at: Node(child.content, range: range), advice: "Edit the file itself.")
    }

    private func anchor(_ range: Range<Int>) -> Range<Int>? { first(range) == UInt8(ascii: "&") ? range : nil }

    /// The first node inside that has an anchor. Nodes that come from aliases are elsewhere.
    private func anchor(inside node: Node) -> Range<Int>? {
        if let found = anchor(node.range) { return found }
        guard first(node.range) != UInt8(ascii: "*") else { return nil }
        switch node.content {
        case .scalar: break
        // Loops, because `lazy.compactMap.first` visits each node twice, and so takes exponential time in the depth.
        case .sequence(let elements):
            for element in elements { if let found = anchor(inside: element) { return found } }
        case .mapping(let members):
            for member in members {
                if let found = anchor(member.key.range) ?? anchor(inside: member.value) { return found }
            }
        }
        return nil
    }
}

extension Node {
    /// The node as JSON in one line.
    fileprivate var jsonInOneLine: String {
        switch content {
        case .scalar(let text, let isQuoted):
            if !isQuoted, let literal = Self.literal(text) { return literal == .null ? "null" : text }
            var writer = JSONWriter()
            writer.string(text)
            return writer.text
        case .sequence(let elements): return "[" + elements.map(\.jsonInOneLine).joined(separator: ", ") + "]"
        case .mapping(let members):
            let texts = members.map {
                Node(.scalar($0.key.text, isQuoted: true)).jsonInOneLine + ": " + $0.value.jsonInOneLine
            }
            return "{" + texts.joined(separator: ", ") + "}"
        }
    }
}
