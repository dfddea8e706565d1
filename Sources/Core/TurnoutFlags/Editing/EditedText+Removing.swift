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
}
