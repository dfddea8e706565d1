import TurnoutEngine

/// A value in a project file, with the key that it belongs to. The elements of a list have the key of the list.
struct KeyedEntry {
    /// The key; messages name it.
    let key: String
    /// The offsets of the key.
    let keyRange: Range<Int>
    let node: Node

    /// The place of the value.
    var offset: Int { node.range.lowerBound }

    /// From the key to the end of the value. The value of an alias can be written before its key.
    var origin: SourceOrigin { SourceOrigin(keyRange.lowerBound..<max(keyRange.upperBound, node.range.upperBound)) }
}

extension KeyedEntry {
    init(_ member: Node.Member) {
        self.init(key: member.key.text, keyRange: member.key.range, node: member.value)
    }

    /// An element of this list.
    func element(_ node: Node) -> KeyedEntry { KeyedEntry(key: key, keyRange: node.range, node: node) }
}

/// The members of a mapping with fixed keys.
struct Members {
    let entry: KeyedEntry
    let part: ProjectPart
    private var entries: [String: KeyedEntry] = [:]

    init(of entry: KeyedEntry, _ part: ProjectPart) {
        self.entry = entry
        self.part = part
    }

    /// The member with a key.
    subscript(key: String) -> KeyedEntry? {
        get { entries[key] }
        set { entries[key] = newValue }
    }
}

/// The keys that a reference may name.
struct KnownKeys {
    /// The kind of entity that the keys name.
    let kind: String
    /// How a reference to another key is reported.
    let problem: ReadingProblem
    /// The keys, in the order of the file.
    private(set) var keys: [String] = []
    /// Whether these are all keys. Otherwise, as after an error, references are not checked.
    var isComplete = true
    private var lookup: Set<String> = []

    init(_ kind: String, problem: ReadingProblem) {
        self.kind = kind
        self.problem = problem
    }

    /// Whether a reference to a key is right, as far as is known.
    func allows(_ key: String) -> Bool { !isComplete || lookup.contains(key) }

    /// Whether a key is known for certain.
    func contains(_ key: String) -> Bool { lookup.contains(key) }

    mutating func insert(_ key: String) {
        if lookup.insert(key).inserted { keys.append(key) }
    }

    /// Adds the keys of a mapping, or the elements of a list.
    mutating func collect(_ entry: KeyedEntry?) {
        guard let entry else { return }
        switch entry.node.content {
        case .mapping(let members): members.forEach { insert($0.key.text) }
        case .sequence(let elements):
            for element in elements {
                if let key = element.text { insert(key) } else { isComplete = false }
            }
        case .scalar: isComplete = isComplete && entry.node.isNothing
        }
    }
}

extension Node {
    var isEmptyMapping: Bool {
        if case .mapping(let members) = content { members.isEmpty } else { false }
    }

    /// Whether it is `null` or `~`, written on purpose.
    var isNull: Bool { isNothing && text?.isEmpty == false }
}
