import TurnoutEngine

/// The members of a part that is written, in the order of ``ProjectPart/keys``.
struct Mapping {
    private let part: ProjectPart
    private var values: [String: Node] = [:]

    init(_ part: ProjectPart) { self.part = part }

    /// The value of a key; nil leaves it out.
    subscript(key: String) -> Node? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// Whether it has no members.
    var isEmpty: Bool { values.isEmpty }

    var node: Node {
        .mapping(part.keys.compactMap { key in values[key].map { (key, $0) } })
    }
}

// MARK: Nodes of values

extension Node {
    /// A string, in quotes only where it would be read as something else.
    package static func name(_ text: String) -> Node { Node(.scalar(text, isQuoted: literal(text) != nil)) }

    /// `true` or `false`.
    package static func boolean(_ value: Bool) -> Node { plain(value ? "true" : "false") }

    static func plain(_ text: String) -> Node { Node(.scalar(text, isQuoted: false)) }

    package static func share(_ share: TrafficShare) -> Node { plain(share.percent) }

    /// A list of strings; nil if it is empty.
    static func names(_ texts: [String]) -> Node? {
        texts.isEmpty ? nil : Node(.sequence(texts.map(Node.name)))
    }

    static func mapping(_ members: [(key: String, value: Node)]) -> Node {
        Node(.mapping(members.map { Member(Key($0.key), $0.value) }))
    }

    /// A mapping; nil if it is empty.
    static func nonEmpty(_ members: [(key: String, value: Node)]) -> Node? {
        members.isEmpty ? nil : mapping(members)
    }

    /// Members that are written into the datafile as they are; nil if there are none.
    static func verbatim(_ members: [String: JSONValue]) -> Node? {
        members.isEmpty ? nil : Node(.object(members))
    }

    /// A scalar of JSON, with strings in quotes only where needed.
    static func scalar(_ value: JSONValue) -> Node {
        if case .string(let text) = value { name(text) } else { Node(value) }
    }
}
