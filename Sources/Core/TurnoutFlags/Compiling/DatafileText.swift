import TurnoutEngine

/// The layout of datafiles: one member per line, and in lists one entity per line, each in compact JSON.
///
/// A change of an entity is one changed line in git, and the file is hardly larger than without line breaks; clients
/// download it as it is.
enum DatafileText {
    static func bytes(_ datafile: Node) -> [UInt8] {
        var writer = JSONWriter()
        writer.append("{\n")
        for (index, member) in datafile.members.enumerated() {
            writer.append(index == 0 ? "  " : ",\n  ")
            writer.appendQuoted(member.key.text)
            writer.append(": ")
            write(member.value, onLinesIndentedBy: "    ", to: &writer)
        }
        writer.append("\n}\n")
        return writer.bytes
    }

    /// Writes the entities of a list on lines of their own, and inside them those of `experiments`.
    private static func write(_ node: Node, onLinesIndentedBy indentation: String, to writer: inout JSONWriter) {
        guard case .sequence(let entities) = node.content, !entities.isEmpty else { return write(node, to: &writer) }
        for (index, entity) in entities.enumerated() {
            writer.append((index == 0 ? "[\n" : ",\n") + indentation)
            guard case .mapping(let members) = entity.content else {
                write(entity, to: &writer)
                continue
            }
            for (index, member) in members.enumerated() {
                writer.append(index == 0 ? "{" : ",")
                writer.appendQuoted(member.key.text)
                writer.append(":")
                if member.key.text == "experiments" {
                    write(member.value, onLinesIndentedBy: indentation + "  ", to: &writer)
                } else {
                    write(member.value, to: &writer)
                }
            }
            writer.append(members.isEmpty ? "{}" : "}")
        }
        writer.append("\n" + indentation.dropLast(2) + "]")
    }

    private static func write(_ node: Node, to writer: inout JSONWriter) {
        var compact = JSONWriter()
        compact.node(node)
        writer.append(compact.text)
    }
}

extension JSONWriter {
    /// Writes a node without white space. Keys keep their order.
    fileprivate mutating func node(_ node: Node) {
        switch node.content {
        case .scalar(let text, isQuoted: true): string(text)
        case .scalar: value(node.jsonValue)
        case .sequence(let elements):
            beginArray()
            for element in elements { self.node(element) }
            endArray()
        case .mapping(let members):
            beginObject()
            for member in members {
                key(member.key.text)
                self.node(member.value)
            }
            endObject()
        }
    }
}

// MARK: Building datafiles

extension Node {
    static func string(_ text: String) -> Node { Node(.scalar(text, isQuoted: true)) }

    static func strings(_ texts: [String]) -> Node { .list(texts.map(Node.string)) }

    static func list(_ elements: [Node]) -> Node { Node(.sequence(elements)) }

    static func integer(_ number: Int) -> Node { Node(.scalar(String(number), isQuoted: false)) }

    static func bool(_ value: Bool) -> Node { Node(.scalar(value ? "true" : "false", isQuoted: false)) }

    /// An object with its members in this order; those without a value are left out. Members of `verbatim` take the
    /// place of those with the same key, or follow in the order of their bytes; null leaves a member out, because some
    /// clients cannot read it in place of a list.
    static func object(
        _ members: KeyValuePairs<String, Node?>, verbatim: [String: JSONValue] = [:]
    ) -> Node {
        var all = members.compactMap { key, value in value.map { Member(Key(key), $0) } }
        let overlay = verbatim.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in overlay {
            let index = all.firstIndex { $0.key.text == key }
            switch (index, value) {
            case (let index?, .null): all.remove(at: index)
            case (let index?, _): all[index].value = Node(value)
            case (nil, .null): break
            case (nil, _): all.append(Member(Key(key), Node(value)))
            }
        }
        return Node(.mapping(all))
    }
}
