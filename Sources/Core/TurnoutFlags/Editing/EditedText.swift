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

    /// A member in one line, or in two if its key is very long. Outside of braces, a mapping with others inside has
    /// a line for each member.
    func spelled(_ key: String, _ node: Node, inFlow: Bool, newline: String) -> String {
        let start =
            switch format {
            case .yaml: YAMLWriter.keyWithColon(key, inFlow: inFlow, newline: inFlow ? " " : newline)
            case .json: Node(.scalar(key, isQuoted: true)).jsonInOneLine + ":"
            }
        if format == .yaml, !inFlow, node.members.contains(where: { !$0.value.members.isEmpty }) {
            let inner = newline + "  "
            return node.members.reduce(start) {
                $0 + inner + spelled($1.key.text, $1.value, inFlow: false, newline: inner)
            }
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
            return JSONValue.string(text).compactText
        case .sequence(let elements): return "[" + elements.map(\.jsonInOneLine).joined(separator: ", ") + "]"
        case .mapping(let members):
            let texts = members.map {
                Node(.scalar($0.key.text, isQuoted: true)).jsonInOneLine + ": " + $0.value.jsonInOneLine
            }
            return "{" + texts.joined(separator: ", ") + "}"
        }
    }
}

extension EditedText {
    /// Removes a member of a mapping or an element of a list. The last one leaves an empty mapping or list.
    func removing(_ place: EditPlace) throws(Diagnostic) -> Edit {
        guard let index = place.index else { return Edit(range: 0..<0, text: "") }
        let parent = place.parent
        guard parent.childCount > 1 else {
            if let edit = removingOnly(place.parent) { return edit }
            var empty = parent
            if case .mapping = parent.content { empty.content = .mapping([]) } else { empty.content = .sequence([]) }
            guard let outer = place.ancestors.last else {
                return Edit(range: parent.range, text: spelled(empty, inFlow: false))
            }
            return try replacing(outer.index, in: outer.node, with: empty, inFlow: place.isInFlow)
        }
        let isFlow = isFlow(parent) || place.isInFlow
        return isFlow ? removingFromFlow(index, parent) : removingFromBlock(index, parent)
    }

    /// The range of a child with its key; in block style also with its dash or question mark.
    func range(of index: Int, in parent: Node) -> Range<Int> {
        let value = parent.child(at: index).range
        guard case .mapping(let members) = parent.content else {
            let search = index == 0 ? parent.range.lowerBound : parent.child(at: index - 1).range.upperBound
            let dash = isFlow(parent) ? nil : find("-", in: search..<max(search, value.lowerBound))
            return (dash ?? value.lowerBound)..<value.upperBound
        }
        let key = members[index].key.range
        let end = max(key.upperBound, value.upperBound)
        let before = bytes[..<key.lowerBound].lastIndex { $0 > 0x20 }
        let mark = before.flatMap { bytes[$0] == UInt8(ascii: "?") ? $0 : nil }
        return (mark ?? key.lowerBound)..<end
    }

    private func removingFromBlock(_ index: Int, _ parent: Node) -> Edit {
        let range = range(of: index, in: parent)
        let start = lineStart(of: range.lowerBound)
        let end = endOfComments(after: lineEndWithBreak(of: range.upperBound), column: range.lowerBound - start)
        let isWhole = isBlank(start..<range.lowerBound) && !(start == 3 && index == 0)
        guard !isWhole, index + 1 < parent.childCount else { return Edit(range: start..<end, text: "") }
        // The first line has the dash of the list around it, which the next member keeps.
        let next = self.range(of: index + 1, in: parent).lowerBound
        return Edit(range: range.lowerBound..<(isBlank(range.upperBound..<next) ? next : range.upperBound), text: "")
    }

    /// The beginning of the next line, or the end of the text.
    func lineEndWithBreak(of offset: Int) -> Int {
        let end = lineEnd(of: offset)
        return end + (end < bytes.count ? lineBreak(at: end).utf8.count : 0)
    }

    /// The end of the comments that follow a member and are indented as its inside. They go with it: below a text in
    /// block style they would become a part of that text.
    func endOfComments(after start: Int, column: Int) -> Int {
        var end = start
        var line = start
        while line < bytes.count {
            let first = bytes[line...].firstIndex { $0 != 0x20 } ?? bytes.count
            let isComment = first < bytes.count && bytes[first] == UInt8(ascii: "#") && first - line > column
            let next = lineEndWithBreak(of: line)
            guard isComment || isBlank(line..<next) else { break }
            if isComment { end = next }
            line = next
        }
        return end
    }

    // MARK: Braces and brackets

    /// Removes the only child of a collection in flow style that has comments, which stay; nil if it has none.
    private func removingOnly(_ parent: Node) -> Edit? {
        guard isFlow(parent) else { return nil }
        let inside = parent.range.lowerBound + 1..<parent.range.upperBound - 1
        let range = range(of: 0, in: parent)
        let end = find(",", in: range.upperBound..<inside.upperBound)
        let between = range.upperBound..<(end ?? range.upperBound)
        let rest = (end.map { $0 + 1 } ?? range.upperBound)..<inside.upperBound
        let hasComments = ![inside.lowerBound..<range.lowerBound, between, rest].allSatisfy(isBlank)
        return hasComments ? Edit(range: range.lowerBound..<rest.lowerBound, text: text(between)) : nil
    }

    private func removingFromFlow(_ index: Int, _ parent: Node) -> Edit {
        let range = range(of: index, in: parent)
        if index + 1 < parent.childCount {
            let next = self.range(of: index + 1, in: parent).lowerBound
            guard let comma = find(",", in: range.upperBound..<next) else { return Edit(range: range, text: "") }
            // White space stays between a bracket and a comment.
            let touches = bytes[range.lowerBound - 1] > 0x20
            let end = find("#", in: comma + 1..<next).map { touches ? comma + 1 : $0 } ?? next
            return Edit(range: range.lowerBound..<end, text: comment(in: range.upperBound..<comma))
        }
        // With the comma before it, but not with the comments around the comma.
        let previous = self.range(of: index - 1, in: parent).upperBound
        guard let comma = find(",", in: previous..<range.lowerBound) else { return Edit(range: range, text: "") }
        let rest = comma + 1..<range.lowerBound
        if let last = find(",", in: range.upperBound..<parent.range.upperBound - 1) {
            // With the comma after it, as the one before it then ends the list.
            let start = isBlank(rest) ? rest.lowerBound : range.lowerBound
            return Edit(range: start..<last + 1, text: comment(in: range.upperBound..<last))
        }
        guard !isBlank(rest) else {
            return Edit(range: previous..<range.upperBound, text: comment(in: previous..<comma))
        }
        // The text after the element in its line must not become a part of the comment before it.
        let endsLine = isBlank(range.upperBound..<lineEnd(of: range.upperBound))
        let end = endsLine ? bytes[rest].lastIndex { $0 > 0x20 }.map { $0 + 1 } : nil
        let text = comment(in: previous..<comma) + text(rest.lowerBound..<(end ?? rest.upperBound))
        return Edit(range: previous..<range.upperBound, text: text)
    }

    /// The text of a range with the comments in it; empty without any.
    private func comment(in range: Range<Int>) -> String { isBlank(range) ? "" : text(range) }

    /// Replaces a value.
    ///
    /// - Parameters:
    ///   - index: The position of the value in the collection that holds it.
    ///   - parent: That collection.
    ///   - node: The new value.
    ///   - inFlow: Whether the collection is inside one in flow style.
    /// - Returns: The edit.
    /// - Throws: A diagnostic if the value is written in a way that this does not support.
    func replacing(
        _ index: Int, in parent: Node, with node: Node, inFlow: Bool
    ) throws(Diagnostic) -> Edit {
        let old = parent.child(at: index)
        let inFlow = inFlow || isFlow(parent)
        let new = spelled(node, inFlow: inFlow)
        let isBlock = old.childCount > 0 && !isFlow(old) && !inFlow && !isAlias(old)
        guard old.range.isEmpty || isBlock else { return Edit(range: old.range, text: new) }
        switch parent.content {
        case .mapping(let members):
            let end = members[index].key.range.upperBound
            guard let colon = find(":", in: end..<max(end, old.range.lowerBound)) else {
                if inFlow { return Edit(range: end..<end, text: ": " + new) }
                throw error("the key has no colon", at: old, advice: "Write key: value.")
            }
            return Edit(
                range: colon + 1..<max(colon + 1, isBlock ? old.range.upperBound : 0),
                text: " " + new + (isBlock ? comments(in: colon + 1..<old.range.lowerBound) : ""))
        default:
            let before = bytes[..<old.range.lowerBound].lastIndex { $0 > 0x20 } ?? 0
            guard before < old.range.lowerBound, bytes[before] == UInt8(ascii: "-") else {
                return Edit(range: old.range, text: new)
            }
            return Edit(range: before + 1..<old.range.upperBound, text: " " + new)
        }
    }

    private func isAlias(_ node: Node) -> Bool { bytes[node.range.lowerBound] == UInt8(ascii: "*") }

    /// The comments between a key and its value in block style, which follow the new value.
    private func comments(in range: Range<Int>) -> String {
        guard !isBlank(range), let last = bytes[range].lastIndex(where: { $0 > 0x20 }) else { return "" }
        return text(range.lowerBound..<last + 1)
    }

    // MARK: Adding

    /// Adds a member after the last one of a mapping, in the mapping's style.
    func adding(_ key: String, _ node: Node, to parent: Node, inFlow: Bool) -> Edit {
        guard case .mapping(let members) = parent.content else { return Edit(range: parent.range, text: "") }
        if isFlow(parent) {
            let range = members.last.map {
                $0.key.range.lowerBound..<max($0.value.range.upperBound, $0.key.range.upperBound)
            }
            return addingToFlow(spelled(key, node, inFlow: true, newline: " "), after: range, of: parent)
        }
        guard !inFlow, let last = members.last else {
            // A pair without braces in a list: [a: 1].
            let all = Node(.mapping(members + [Node.Member(Node.Key(key), node)]))
            return Edit(range: parent.range, text: spelled(all, inFlow: true))
        }
        let end = lineEnd(of: max(last.value.range.upperBound, last.key.range.upperBound))
        let newline = newline(at: end, indentedAs: parent.range.lowerBound)
        return Edit(range: end..<end, text: newline + spelled(key, node, inFlow: false, newline: newline))
    }

    /// Adds an element to a list after the one at a position, or after the last one, in the list's style.
    func adding(_ element: Node, to list: Node, after position: Int?, inFlow: Bool) -> Edit {
        guard case .sequence(let elements) = list.content else { return Edit(range: list.range, text: "") }
        let inFlow = inFlow || isFlow(list)
        let text = spelled(element, inFlow: inFlow)
        guard let last = position.map({ elements[$0] }) ?? elements.last else {
            return addingToFlow(text, after: nil, of: list)
        }
        if inFlow { return addingToFlow(text, after: last.range, of: list) }
        let end = lineEnd(of: last.range.upperBound)
        return Edit(range: end..<end, text: newline(at: end, indentedAs: list.range.lowerBound) + "- " + text)
    }

    /// Adds a member or element to a collection in braces or brackets.
    private func addingToFlow(_ text: String, after last: Range<Int>?, of parent: Node) -> Edit {
        guard let last else {
            let start = parent.range.lowerBound + 1
            let isComment = bytes[start] == UInt8(ascii: "#")
            return Edit(range: start..<start, text: text + (isComment ? " " : ""))
        }
        let (start, end) = (last.lowerBound, last.upperBound)
        guard isBlank(lineStart(of: start)..<start) else { return Edit(range: end..<end, text: ", " + text) }
        // Each member has a line of its own, perhaps with a comma after the last, and a comment.
        let lineEnd = lineEnd(of: end)
        let comma = find(",", in: end..<lineEnd)
        let rest = (comma.map { $0 + 1 } ?? end)..<lineEnd
        guard isBlank(rest) || find("#", in: rest) != nil else { return Edit(range: end..<end, text: ", " + text) }
        let newline = newline(at: lineEnd, indentedAs: start)
        if comma != nil { return Edit(range: lineEnd..<lineEnd, text: newline + text + ",") }
        return Edit(range: end..<lineEnd, text: "," + self.text(rest) + newline + text)
    }
}
