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
