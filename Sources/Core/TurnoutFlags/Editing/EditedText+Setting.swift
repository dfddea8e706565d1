extension EditedText {
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

    /// Adds an element after the last one of a list, in the list's style.
    func appending(_ element: Node, to list: Node, inFlow: Bool) -> Edit {
        guard case .sequence(let elements) = list.content else { return Edit(range: list.range, text: "") }
        let inFlow = inFlow || isFlow(list)
        let text = spelled(element, inFlow: inFlow)
        guard let last = elements.last else { return addingToFlow(text, after: nil, of: list) }
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
