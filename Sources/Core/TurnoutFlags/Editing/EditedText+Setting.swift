extension EditedText {
    /// Replaces a value.
    ///
    /// - Parameters:
    ///   - index: The position of the value in the collection that holds it.
    ///   - parent: That collection.
    ///   - node: The new value.
    ///   - inFlow: Whether the collection is inside of one in flow style.
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
        if isFlow(parent) { return addingToFlow(key, node, members, parent) }
        guard !inFlow, let last = members.last else {
            // A pair without braces in a list: [a: 1].
            let all = Node(.mapping(members + [Node.Member(Node.Key(key), node)]))
            return Edit(range: parent.range, text: spelled(all, inFlow: true))
        }
        let end = lineEnd(of: max(last.value.range.upperBound, last.key.range.upperBound))
        let newline = newline(at: end, indentedAs: parent.range.lowerBound)
        return Edit(range: end..<end, text: newline + spelled(key, node, inFlow: false, newline: newline))
    }

    private func addingToFlow(_ key: String, _ node: Node, _ members: [Node.Member], _ parent: Node) -> Edit {
        let text = spelled(key, node, inFlow: true, newline: " ")
        guard let last = members.last else {
            let start = parent.range.lowerBound + 1
            return Edit(range: start..<start, text: text)
        }
        let end = max(last.value.range.upperBound, last.key.range.upperBound)
        let start = last.key.range.lowerBound
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
