/// Copies a value of a YAML file to another place of the file, with its comments.
///
/// A part that both places have in common keeps the text of the place that is changed. All else is copied as the source
/// spells it. Only values in block style are copied in this way; flow style has no room for comments.
struct CommentedCopy {
    private let text: EditedText

    init(_ text: EditedText) { self.text = text }

    /// The edit that gives `target` the value of `source`, or nil if their collections are not in block style.
    func edit(of target: EditPlace, from source: EditPlace) -> EditedText.Edit? {
        guard let index = source.index, let sources = block(of: source), let targets = block(of: target) else {
            return nil
        }
        if let changed = target.index {
            return merged(targets, changed, Child(source.parent, sources, index)).map {
                EditedText.Edit(range: targets.chunks[changed], text: $0)
            }
        }
        let end = targets.end
        return copied(Child(source.parent, sources, index), as: target.key, column: targets.column).map {
            EditedText.Edit(range: end..<end, text: (endsLine(end) ? "" : text.lineBreak(at: end)) + $0)
        }
    }

    /// A collection in block style, in chunks of whole lines: each child with the comments above and inside it.
    private struct Block {
        let node: Node
        /// The first chunk of a mapping in a list begins behind the dash.
        let chunks: [Range<Int>]
        /// Where the children begin, behind their chunk's comments.
        let starts: [Int]
        let column: Int

        var end: Int { chunks.last?.upperBound ?? 0 }
    }

    /// A child of a collection. `block` is nil if the collection is in flow style.
    private struct Child {
        let parent: Node
        let block: Block?
        let index: Int

        init(_ parent: Node, _ block: Block?, _ index: Int) {
            (self.parent, self.block, self.index) = (parent, block, index)
        }

        var node: Node { parent.child(at: index) }
        /// The identity of the child: the key of a member, or of a rule.
        var key: String? {
            if case .mapping(let members) = parent.content { return members[index].key.text }
            return node.ruleKey
        }
    }

    // MARK: Blocks

    private func block(of place: EditPlace) -> Block? {
        guard let outer = place.ancestors.last else { return nil }
        return block(place.parent, after: text.headEnd(of: outer.index, in: outer.node))
    }

    /// The chunks of a collection that follows a key or a dash; nil if it is in flow style, or shared by an anchor.
    private func block(_ node: Node, after head: Int) -> Block? {
        guard node.childCount > 0, !text.isFlow(node), !text.hasAnchorOrAlias(node) else { return nil }
        let starts = (0..<node.childCount).map { text.range(of: $0, in: node).lowerBound }
        let column = starts[0] - text.lineStart(of: starts[0])
        var chunks: [Range<Int>] = []
        var start = text.isWholeLine(starts[0]) ? text.lineEndWithBreak(of: head) : starts[0]
        for index in starts.indices {
            let line = text.lineEndWithBreak(of: text.range(of: index, in: node).upperBound)
            let end = text.endOfComments(after: line, column: column)
            guard start <= starts[index], starts[index] <= end else { return nil }
            chunks.append(start..<end)
            start = end
        }
        return Block(node: node, chunks: chunks, starts: starts, column: column)
    }

    // MARK: Merging

    /// The chunk of a child with the value of another one.
    private func merged(_ target: Block, _ index: Int, _ source: Child) -> String? {
        let (old, new) = (target.node.child(at: index), source.node)
        let chunk = target.chunks[index]
        guard !old.hasSameContent(as: new) else { return ended(text.text(chunk)) }
        if let inside = inside(target, index, source) { return inside }
        if isInline(old), isInline(new) {
            let after = old.range.upperBound..<chunk.upperBound
            return ended(text.text(chunk.lowerBound..<old.range.lowerBound) + text.text(new.range) + text.text(after))
        }
        let start = text.lineStart(of: target.starts[index])
        guard start >= chunk.lowerBound else { return nil }
        let key = Child(target.node, target, index).key
        return copied(source, as: key, column: target.column).map { text.text(chunk.lowerBound..<start) + $0 }
    }

    /// The chunk of a child whose collection is merged with another one of its kind.
    private func inside(_ target: Block, _ index: Int, _ source: Child) -> String? {
        let new = source.node
        let head = text.headEnd(of: index, in: target.node)
        guard new.childCount > 0, let inner = block(target.node.child(at: index), after: head),
            inner.node.isMapping == new.isMapping
        else { return nil }
        let sources = source.block.flatMap { block(new, after: text.headEnd(of: source.index, in: $0.node)) }
        let olds = (0..<inner.node.childCount).map { Child(inner.node, inner, $0) }
        guard new.isMapping || olds.allSatisfy({ $0.key != nil }) else { return nil }
        var result = text.text(target.chunks[index].lowerBound..<inner.chunks[0].lowerBound)
        for number in 0..<new.childCount {
            let child = Child(new, sources, number)
            // The first member of a mapping in a list is behind the dash, and must stay there.
            let isBehindDash = number == 0 && !text.isWholeLine(inner.chunks[0].lowerBound)
            let old = olds.first { $0.key == child.key }
            guard !isBehindDash || old?.index == 0,
                let part = old.map({ merged(inner, $0.index, child) })
                    ?? copied(child, as: child.key, column: inner.column)
            else { return nil }
            result += part
        }
        return ended(result + text.text(inner.end..<target.chunks[index].upperBound))
    }

    /// A child as the source spells it, with another key if it is a member.
    private func copied(_ source: Child, as key: String?, column: Int) -> String? {
        let indentation = String(repeating: " ", count: column)
        let name = source.parent.isMapping ? key ?? "" : nil
        guard let block = source.block, text.isWholeLine(block.starts[source.index]),
            name == source.key || !isExplicit(name ?? "") && !isExplicit(source.key ?? "")
        else {
            let value = text.spelled(source.node, inFlow: false)
            let newline = text.lineBreak(at: source.node.range.upperBound) + indentation
            let line = name.map { text.spelled($0, source.node, inFlow: false, newline: newline) } ?? "- " + value
            return ended(indentation + line)
        }
        guard !text.hasAnchorOrAlias(source.node) else { return nil }
        var start = block.chunks[source.index].lowerBound
        var copy = ""
        if case .mapping(let members) = source.parent.content, members[source.index].key.text != name {
            // The comments above are about the old key.
            start = members[source.index].key.range.upperBound
            copy = String(repeating: " ", count: block.column) + YAMLScalar.key(name ?? "", inFlow: false)
        }
        let chunk = copy + text.text(start..<block.chunks[source.index].upperBound)
        return ended(indented(chunk, by: column - block.column))
    }

    // MARK: Text

    /// Whether a key is so long that YAML needs a question mark before it.
    private func isExplicit(_ key: String) -> Bool {
        YAMLWriter.keyWithColon(key, inFlow: false).utf8.first == UInt8(ascii: "?")
    }

    /// Whether a value is in one line, as it can be behind another key.
    private func isInline(_ node: Node) -> Bool {
        guard !node.range.isEmpty, node.childCount == 0 || text.isFlow(node), !text.hasAnchorOrAlias(node) else {
            return false
        }
        return !text.bytes[node.range].contains { $0 == 0x0A || $0 == 0x0D }
    }

    private func endsLine(_ offset: Int) -> Bool {
        offset == 0 || text.bytes[offset - 1] == 0x0A || text.bytes[offset - 1] == 0x0D
    }

    /// The text with a line break at its end.
    private func ended(_ lines: String) -> String {
        guard let last = lines.utf8.last, last != 0x0A, last != 0x0D else { return lines }
        return lines + text.lineBreak(at: 0)
    }

    private func indented(_ lines: String, by columns: Int) -> String {
        guard columns != 0 else { return lines }
        let spaces = String(repeating: " ", count: max(columns, 0))
        let indented = lines.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
            let indentation = line.prefix { $0 == " " }.count
            return line.isEmpty ? line : spaces + line.dropFirst(min(max(-columns, 0), indentation))
        }
        return indented.joined(separator: "\n")
    }
}

extension EditedText {
    /// The end of the key or the dash of a child, behind which its value begins.
    func headEnd(of index: Int, in parent: Node) -> Int {
        if case .mapping(let members) = parent.content { return members[index].key.range.upperBound }
        return range(of: index, in: parent).lowerBound + 1
    }

    /// Whether an offset is the first in its line, but for spaces.
    func isWholeLine(_ offset: Int) -> Bool { isBlank(lineStart(of: offset)..<offset) }

    /// Whether a node has an anchor, or is an alias.
    func hasAnchorOrAlias(_ node: Node) -> Bool {
        !node.range.isEmpty && [UInt8(ascii: "&"), UInt8(ascii: "*")].contains(bytes[node.range.lowerBound])
    }
}
