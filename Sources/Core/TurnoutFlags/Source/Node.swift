package import TurnoutEngine

/// A part of a project file, in YAML or JSON: a scalar, a sequence or a mapping, with its place in the text.
///
/// Scalars stay text until the reader knows which type is expected. That is why `off` can name a variation although
/// YAML 1.1 calls it a Boolean.
package struct Node: Sendable {
    /// The content of a node.
    package indirect enum Content: Sendable {
        /// A single value. A quoted scalar is always a string; an unquoted one can also be a number, a Boolean or null.
        case scalar(String, isQuoted: Bool)
        case sequence([Node])
        /// Keys with values, in the order of the text. Duplicate keys are kept.
        case mapping([Member])
    }

    /// A key with its value.
    package struct Member: Sendable {
        package var key: Key
        package var value: Node

        package init(_ key: Key, _ value: Node) {
            self.key = key
            self.value = value
        }
    }

    /// A key of a mapping, with its place in the text.
    package struct Key: Sendable {
        /// The text of the key.
        package var text: String
        /// The offsets of the key in the source file.
        package var range: Range<Int>

        package init(_ text: String, range: Range<Int> = 0..<0) {
            self.text = text
            self.range = range
        }
    }

    package var content: Content
    /// The offsets of the node in the source file; empty for nodes made in memory.
    package var range: Range<Int>

    package init(_ content: Content, range: Range<Int> = 0..<0) {
        self.content = content
        self.range = range
    }

    /// How many values a file may have, keys included: 3,000,000. Legitimate projects have a value in ten bytes or
    /// more, so this is more than 30 MB of them.
    package static let countLimit = 3_000_000

    // MARK: Contents
    /// The members of a mapping; empty for other nodes.
    package var members: [Member] {
        guard case .mapping(let members) = content else { return [] }
        return members
    }

    /// The elements of a sequence; empty for other nodes.
    package var elements: [Node] {
        guard case .sequence(let elements) = content else { return [] }
        return elements
    }

    /// The value of the first member with a key; nil if there is none, or if it is null.
    package subscript(key: String) -> Node? {
        members.first { $0.key.text == key && !$0.value.isNothing }?.value
    }

    /// Whether the node is a mapping.
    package var isMapping: Bool {
        if case .mapping = content { true } else { false }
    }

    /// Whether the node is a sequence.
    package var isSequence: Bool {
        if case .sequence = content { true } else { false }
    }

    /// Whether the node is an unquoted `null` or `~`, or an empty value.
    package var isNothing: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return Self.literal(text) == .null
    }

    // MARK: Scalars
    /// The scalar's text, or nil for sequences and mappings.
    package var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// The value that the node has in JSON. An unquoted scalar is a JSON literal if it is spelled like one, otherwise
    /// a string; of duplicate keys the first wins.
    package var jsonValue: JSONValue {
        switch content {
        case .scalar(let text, isQuoted: true): .string(text)
        case .scalar(let text, isQuoted: false): Self.literal(text) ?? .string(text)
        case .sequence(let elements): .array(elements.map(\.jsonValue))
        case .mapping(let members):
            .object(Dictionary(members.map { ($0.key.text, $0.value.jsonValue) }) { first, _ in first })
        }
    }

    /// The Boolean, number or null that an unquoted scalar spells in JSON. An empty scalar, or `~`, is null in YAML.
    package static func literal(_ text: String) -> JSONValue? {
        switch text {
        case "", "~", "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard let first = text.utf8.first, first == UInt8(ascii: "-") || first &- 0x30 < 10 else { return nil }
            guard let value = try? JSONValue(parsing: text) else { return nil }
            // No condition and no variable has an integer of more than 63 bits.
            if case .unsigned(let number) = value { return .double(Double(number)) }
            return value
        }
    }

    /// The value that a JSON value has as a node made in memory.
    package init(_ value: JSONValue) {
        switch value {
        case .null: self.init(.scalar("null", isQuoted: false))
        case .string(let text): self.init(.scalar(text, isQuoted: true))
        case .array(let elements): self.init(.sequence(elements.map(Node.init)))
        case .object(let members):
            self.init(.mapping(members.sorted { $0.key < $1.key }.map { Member(Key($0.key), Node($0.value)) }))
        case .bool, .integer, .unsigned, .double:
            self.init(.scalar(value.compactText, isQuoted: false))
        }
    }

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
