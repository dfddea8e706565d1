/// The parts of one kind in two projects, matched by key, and renamed ones by their former key, as the compiler does.
struct PartPairs<Part: Equatable> {
    let added: [Part]
    let removed: [Part]
    let common: [(before: Part, after: Part)]
    private let key: (Part) -> String

    init(_ old: [Part], _ new: [Part], key: @escaping (Part) -> String, formerKey: (Part) -> String?) {
        self.key = key
        let byKey = Dictionary(old.map { (key($0), $0) }) { first, _ in first }
        let history = KeyHistory(new.map { (key($0), formerKey($0)) }) { byKey[$0] != nil }
        var matched: Set<String> = []
        var added: [Part] = []
        var common: [(Part, Part)] = []
        for part in new {
            if let name = history[key(part)], matched.insert(name).inserted, let before = byKey[name] {
                common.append((before, part))
            } else {
                added.append(part)
            }
        }
        self.added = added
        self.common = common
        removed = old.filter { matched.insert(key($0)).inserted }
    }

    /// The keys of renamed parts after the edit, by those before it.
    var renames: [String: String] {
        let renamed = common.filter { key($0.before) != key($0.after) }
        return Dictionary(renamed.map { (key($0.before), key($0.after)) }) { first, _ in first }
    }

    /// The changes of these parts: added, removed, renamed, and the details of those that both have. `summary` says
    /// what an added part does.
    func changes(
        _ kind: String, in outer: [String] = [], _ details: (Part, Part) -> [String?],
        added summary: (Part) -> String = { _ in "" }
    ) -> [ProjectChange] {
        changes({ _ in kind }, in: outer, details, added: summary)
    }

    /// The changes of parts of several kinds.
    func changes(
        _ kind: @escaping (Part) -> String, in outer: [String] = [], _ details: (Part, Part) -> [String?],
        added summary: (Part) -> String = { _ in "" }
    ) -> [ProjectChange] {
        let subject = { (part: Part) in outer + ["\(kind(part)) \(key(part))"] }
        var changes =
            added.map { ProjectChange(.added, subject($0), summary($0)) }
            + removed.map { ProjectChange(.removed, subject($0)) }
        for (before, after) in common {
            if key(before) != key(after) {
                changes.append(
                    ProjectChange(.renamed, subject(after), "\(kind(after)) \(key(before)) is now named \(key(after))"))
            }
            changes += details(before, after).compactMap { $0 }.map { ProjectChange(.changed, subject(after), $0) }
        }
        return changes
    }
}
