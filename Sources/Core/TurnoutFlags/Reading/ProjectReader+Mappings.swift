import TurnoutEngine

extension ProjectReader {
    /// The members of a mapping with fixed keys; nil if it is not a mapping. Unknown and duplicate keys are reported.
    mutating func members(of entry: KeyedEntry, _ part: ProjectPart, orNothing: Bool = false) -> Members? {
        var members = Members(of: entry, part)
        if orNothing, entry.node.isNothing { return members }
        guard case .mapping(let list) = entry.node.content else {
            reportType("a mapping", entry)
            return nil
        }
        let keys = part.keys
        var unknown: [KeyedEntry] = []
        for entry in list.map(KeyedEntry.init) {
            if !keys.contains(entry.key) {
                unknown.append(entry)
            } else if let first = members[entry.key] {
                reportDuplicate(entry, first)
            } else {
                members[entry.key] = entry
            }
        }
        for entry in unknown {
            let meant = reportUnknownKey(entry, in: part.name, keys: keys)
            if let meant, members[meant] == nil {
                members[meant] = KeyedEntry(key: meant, keyRange: entry.keyRange, node: entry.node)
            }
        }
        return members
    }

    /// A member that the part must have.
    mutating func required(_ key: String, in members: Members) -> KeyedEntry? {
        if let entry = members[key] { return entry }
        report(
            .missingKey, "\(members.part.name) needs the key \"\(key)\"", at: members.entry.keyRange.lowerBound)
        return nil
    }

    /// The parts of a mapping by key, or of a list of keys; those that cannot be read are left out.
    mutating func keyed<Part>(_ entry: KeyedEntry?, _ read: (inout ProjectReader, KeyedEntry) -> Part?) -> [Part] {
        guard let entry else { return [] }
        let isList = entry.key == "attributes" || entry.key == "events"
        if isList, case .sequence(let elements) = entry.node.content {
            return distinct(elements.compactMap { keyElement(entry.element($0)) }).compactMap { read(&self, $0) }
        }
        return entries(of: entry, isList ? "a list of keys or a mapping" : "a mapping")
            .compactMap { read(&self, $0) }
    }

    /// The members of a mapping by key, without duplicates.
    mutating func entries(of entry: KeyedEntry, _ expected: String = "a mapping") -> [KeyedEntry] {
        if entry.node.isNothing { return [] }
        guard case .mapping(let members) = entry.node.content else {
            reportType(expected, entry)
            return []
        }
        return distinct(members.map(KeyedEntry.init))
    }

    /// The elements of a list; nil if it is not a list.
    mutating func elements(of entry: KeyedEntry, _ expected: String = "a list") -> [KeyedEntry]? {
        guard case .sequence(let elements) = entry.node.content else {
            reportType(expected, entry)
            return nil
        }
        return elements.map(entry.element)
    }

    /// An element of a list of keys as a part without members.
    mutating func keyElement(_ element: KeyedEntry) -> KeyedEntry? {
        guard let key = string(element) else { return nil }
        return KeyedEntry(key: key, keyRange: element.node.range, node: Node(.mapping([]), range: element.node.range))
    }

    /// The entries without those whose key occurred before, which are reported.
    mutating func distinct(_ entries: [KeyedEntry]) -> [KeyedEntry] {
        var known: [String: KeyedEntry] = [:]
        return entries.filter { entry in
            if let first = known[entry.key] {
                reportDuplicate(entry, first)
                return false
            }
            known[entry.key] = entry
            return true
        }
    }

    /// Members that are written into the datafile as they are.
    mutating func verbatim(_ entry: KeyedEntry?) -> [String: JSONValue] {
        guard let entry else { return [:] }
        checkDuplicates(in: entry.node)
        guard case .mapping = entry.node.content, case .object(let members) = entry.node.jsonValue else {
            reportType("a mapping", entry)
            return [:]
        }
        return members
    }

    /// Reports duplicate keys anywhere in a value that is taken as it is.
    mutating func checkDuplicates(in node: Node) {
        switch node.content {
        case .scalar: break
        case .sequence(let elements): for element in elements { checkDuplicates(in: element) }
        case .mapping(let members):
            _ = distinct(members.map(KeyedEntry.init))
            for member in members { checkDuplicates(in: member.value) }
        }
    }

    // MARK: Problems

    mutating func reportDuplicate(_ entry: KeyedEntry, _ first: KeyedEntry) {
        let line = source.position(of: first.keyRange.lowerBound).line
        report(
            .duplicateKey, "duplicate key \(quoted(entry.key))", advice: "it is already in line \(line)",
            at: entry.keyRange.lowerBound)
    }

    /// Reports an unknown key, and returns the key that was probably meant.
    mutating func reportUnknownKey(_ entry: KeyedEntry, in part: String, keys: [String]) -> String? {
        let meant = suggestion(for: entry.key, among: keys)
        report(
            .unknownKey, "unknown key \(quoted(entry.key)) in \(part)",
            advice: meant.map(Spelling.question) ?? "its keys are \(keys.joined(separator: ", "))",
            at: entry.keyRange.lowerBound)
        return meant
    }

    /// Whether a reference names something that exists; otherwise it is reported.
    mutating func check(_ key: String, in known: KnownKeys, at offset: Int) -> Bool {
        if known.allows(key) { return true }
        let listed = known.keys.prefix(9).map(quoted)
        let advice =
            if let meant = suggestion(for: key, among: known.keys) {
                Spelling.question(meant)
            } else if listed.isEmpty {
                "there are no \(known.kind)s here"
            } else if listed.count < 9 {
                "the \(known.kind)s here are \(listed.joined(separator: ", "))"
            } else {
                String?.none
            }
        report(known.problem, "unknown \(known.kind) \(quoted(key))", advice: advice, at: offset)
        return false
    }

    /// The candidate that is spelled most like a word. Of very many candidates only the first are compared.
    func suggestion(for word: String, among candidates: [String]) -> String? {
        guard problems.count < Diagnostics.listedLimit else { return nil }
        let length = word.utf8.count
        guard length <= 64 else { return nil }
        // Longer ones can be what an abbreviation stands for.
        let similar = candidates.lazy.filter { 2 * length <= 3 * $0.utf8.count + 6 && $0.utf8.count <= 64 }
        return Spelling.nearest(to: word, among: Array(similar.prefix(1_000)))
    }
}

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
