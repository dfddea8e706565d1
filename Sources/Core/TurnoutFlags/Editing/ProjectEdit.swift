/// A change of one value in the text of a project file. All other bytes stay as they are: comments, layout and quotes.
///
/// The caller reads the edited text again and compares it with ``Result/root``.
package struct ProjectEdit: Sendable {
    /// The change of the value.
    package enum Change: Sendable {
        /// It gets a new value, or is added as the last member of its mapping.
        case set(Node)
        /// It is a list, and gets another element after the one at a position, or at its end.
        case add(Node, after: Int?)
        /// It gets the value of another place in the file, with the comments that are there. Where both have the same
        /// parts, the text and the comments of this place stay. Ids that `datafile` carries stay where they are: they
        /// belong to one environment.
        case copy(from: EditPath)
        /// It gets the value of another place with the ids that are carried there. What follows must correct them:
        /// see ``Node/identityChanges(to:at:)``.
        case copyWithIDs(from: EditPath)
        /// It is removed with its key.
        case remove
    }

    /// The language of the text.
    package enum Format: Sendable {
        /// Block and flow style, quotes where they are needed.
        case yaml
        case json
    }

    package struct Result: Sendable {
        package var bytes: [UInt8]
        /// The expected contents of the text after the edits. Places are those of the old text.
        package var root: Node
        /// The bytes of the old text that were replaced.
        package var replaced: Range<Int>
        /// The bytes that took their place.
        package var replacement: String
    }

    /// The place of the value.
    package var path: EditPath
    package var change: Change

    package init(_ path: EditPath, _ change: Change) {
        self.path = path
        self.change = change
    }

    /// The value that a text from outside means: a mapping or list in flow style, or a string in quotes, is read; any
    /// other text is taken as it is, so that `Note: 50%` needs no quotes.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - read: Reads a value in the language of the file, or in YAML for both.
    /// - Returns: The value.
    /// - Throws: The diagnostic of `read`.
    package static func value(
        _ text: String, read: (SourceFile) throws(Diagnostic) -> Node
    ) throws(Diagnostic) -> Node {
        guard let first = text.utf8.first, "[{\"'".utf8.contains(first) else {
            return Node(.scalar(text, isQuoted: text.isEmpty))
        }
        return try read(SourceFile(name: "value", bytes: Array(text.utf8)))
    }

    /// Makes the edit.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - root: What was read from the file.
    ///   - format: The language of the file.
    /// - Returns: The new text. The old and the new text differ in one range.
    /// - Throws: A diagnostic if the path does not lead to a value, or the value is shared by an anchor.
    /// - Complexity: O(n) in the size of the text.
    package func apply(to source: SourceFile, root: Node, format: Format) throws(Diagnostic) -> Result {
        let text = EditedText(source: source, format: format)
        switch change {
        case .set(let node):
            let place = try EditPlace(path, from: root, in: text, adds: true)
            return Result(try Self.setting(node, at: place, in: text), in: source, root: place.setting(node))
        case .add(let element, let position):
            let place = try EditPlace(path, from: root, in: text, adds: false)
            let list = place.index.map(place.parent.child) ?? place.parent
            guard case .sequence(let elements) = list.content else {
                throw text.error("\"\(path)\" is not a list", at: list)
            }
            try text.refuseShared(list, at: path)
            let edit =
                try elements.isEmpty && !text.isFlow(list)
                ? Self.setting(Node(.sequence([element])), at: place, in: text)
                : text.adding(element, to: list, after: position, inFlow: place.isInFlow)
            var all = elements
            all.insert(element, at: position.map { $0 + 1 } ?? all.count)
            return Result(edit, in: source, root: place.setting(Node(.sequence(all))))
        case .copy(let other), .copyWithIDs(let other):
            let place = try EditPlace(path, from: root, in: text, adds: true)
            let original = try EditPlace(other, from: root, in: text, adds: false)
            let source = original.index.map(original.parent.child) ?? original.parent
            var node = source
            if case .copy = change { node = source.withIdentity(of: place.index.map(place.parent.child)) }
            // A text that is copied with its comments has the ids of its place.
            if format == .yaml, node.hasSameContent(as: source),
                let copy = CommentedCopy(text).edit(of: place, from: original)
            {
                return Result(copy, in: text.source, root: place.setting(node))
            }
            return Result(try Self.setting(node, at: place, in: text), in: text.source, root: place.setting(node))
        case .remove:
            let place = try EditPlace(path, from: root, in: text, adds: false)
            return Result(try text.removing(place), in: source, root: place.removing())
        }
    }

    private static func setting(
        _ node: Node, at place: EditPlace, in text: EditedText
    ) throws(Diagnostic) -> EditedText.Edit {
        guard let member = place.index else {
            return text.adding(place.key, node, to: place.parent, inFlow: place.isInFlow)
        }
        return try text.replacing(member, in: place.parent, with: node, inFlow: place.isInFlow)
    }
}

extension ProjectEdit.Result {
    fileprivate init(_ edit: EditedText.Edit, in source: SourceFile, root: Node) {
        let bytes = source.bytes
        self.init(
            bytes: Array(bytes[..<edit.range.lowerBound]) + Array(edit.text.utf8) + bytes[edit.range.upperBound...],
            root: root, replaced: edit.range, replacement: edit.text)
    }
}

/// The ids that an imported part carries in `datafile`. They belong to one environment: with those of another one,
/// results of both would be stored under the same id.
extension Node {
    private static let identityKeys = ["id", "key", "layerId"]
    /// Their values are data, in which `datafile` means something else.
    private static let opaqueKeys = ["audience", "variables"]

    /// The node in the place of another one: it has that one's carried ids instead of its own.
    package func withIdentity(of other: Node?) -> Node {
        switch content {
        case .scalar: return self
        case .sequence(let elements):
            let rules = elements.map { element -> Node in
                let key = element.ruleKey
                return element.withIdentity(of: key.flatMap { other?.rule($0) })
            }
            return Node(.sequence(rules), range: range)
        case .mapping(let members):
            var result: [Member] = []
            for member in members where member.key.text != "datafile" {
                let isOpaque = Self.opaqueKeys.contains(member.key.text)
                let value = isOpaque ? member.value : member.value.withIdentity(of: other?[member.key.text])
                result.append(Member(member.key, value))
            }
            let place = members.firstIndex { $0.key.text == "datafile" }
            if let carried = Self.carried(self["datafile"], identityOf: other?["datafile"]) {
                let key = place.map { members[$0].key } ?? Key("datafile")
                result.insert(Member(key, carried), at: place ?? result.count)
            }
            return Node(.mapping(result), range: range)
        }
    }

    /// The members of `datafile`, with the ids taken from another node; nil without members.
    private static func carried(_ node: Node?, identityOf other: Node?) -> Node? {
        if let node, !node.isMapping { return node }
        let own = (node?.members ?? []).filter { !identityKeys.contains($0.key.text) }
        let others = (other?.members ?? []).filter { identityKeys.contains($0.key.text) }
        guard !own.isEmpty || !others.isEmpty else { return nil }
        return Node(.mapping(own + others), range: node?.range ?? 0..<0)
    }

    private func rule(_ key: String) -> Node? {
        guard case .sequence(let elements) = content else { return nil }
        return elements.first { $0.ruleKey == key }
    }

    /// The changes that give a node the ids of another one, which has the same rules and members otherwise: the places
    /// of `datafile`, and the new values, or nil for those to be removed.
    package func identityChanges(to desired: Node, at path: EditPath) -> [(path: EditPath, value: Node?)] {
        guard !hasSameContent(as: desired) else { return [] }
        switch (content, desired.content) {
        case (.sequence(let elements), .sequence(let others)) where elements.count == others.count:
            return zip(elements, others).enumerated().flatMap { index, pair in
                pair.0.identityChanges(to: pair.1, at: EditPath(path.steps + [.index(index)]))
            }
        case (.mapping(let members), .mapping(let others)):
            var keys = members.map(\.key.text)
            keys += others.map(\.key.text).filter { !keys.contains($0) }
            return keys.flatMap { key -> [(path: EditPath, value: Node?)] in
                let (own, other) = (member(key), desired.member(key))
                let place = EditPath(path.steps + [.key(key)])
                guard key != "datafile", let own, let other else {
                    return own?.jsonValue == other?.jsonValue ? [] : [(place, other)]
                }
                return own.identityChanges(to: other, at: place)
            }
        default: return []
        }
    }

    private func member(_ key: String) -> Node? { members.first { $0.key.text == key }?.value }
}
