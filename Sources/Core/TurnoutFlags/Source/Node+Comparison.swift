import TurnoutEngine

extension Node {
    /// Whether two nodes have the same meaning to every reader, wherever and however they are written.
    ///
    /// Members are compared in order. Quotes matter only for text that is a number, a Boolean or null without them;
    /// all spellings of null are the same.
    package func hasSameContent(as other: Node) -> Bool {
        switch (content, other.content) {
        case (.scalar(let text, let isQuoted), .scalar(let otherText, let otherIsQuoted)):
            let value = isQuoted ? nil : Self.literal(text)
            let otherValue = otherIsQuoted ? nil : Self.literal(otherText)
            if value == .null, otherValue == .null { return true }
            return text.utf8.elementsEqual(otherText.utf8) && (value == nil) == (otherValue == nil)
        case (.sequence(let elements), .sequence(let others)):
            return elements.count == others.count && zip(elements, others).allSatisfy { $0.hasSameContent(as: $1) }
        case (.mapping(let members), .mapping(let others)):
            return members.count == others.count
                && zip(members, others).allSatisfy {
                    $0.key.text.utf8.elementsEqual($1.key.text.utf8) && $0.value.hasSameContent(as: $1.value)
                }
        default: return false
        }
    }
}
