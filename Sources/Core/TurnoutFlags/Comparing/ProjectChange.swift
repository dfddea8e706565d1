import TurnoutEngine

/// A difference between two projects, in words.
package struct ProjectChange: Sendable, Hashable {
    /// The kind of a change to a part of the project.
    package enum Kind: String, Sendable {
        case added
        case removed
        /// The part has another key and kept its id.
        case renamed
        case changed
    }

    /// The kind of the change.
    package var kind: Kind
    /// The part, from the outside in: `["flag checkout", "experiment checkout_ab"]`.
    package var subject: [String]
    /// The difference: `traffic 10% → 25%`. What a part does that was added; empty if one was removed.
    package var detail: String
    /// The environments in which it is different; empty for all.
    package var environments: [String]

    package init(_ kind: Kind, _ subject: [String], _ detail: String = "", environments: [String] = []) {
        self.kind = kind
        self.subject = subject
        self.detail = detail
        self.environments = environments
    }

    /// `experiment checkout_ab: traffic 10% → 25% (production)`, without the outermost part of the subject. The
    /// sentence of a renamed part has both names: `variation large is now named big`.
    package var sentence: String {
        let place = environments.isEmpty ? "" : " (\(environments.joined(separator: ", ")))"
        let inner = (kind == .renamed ? subject.dropFirst().dropLast() : subject.dropFirst()).joined(separator: ", ")
        switch kind {
        case .changed, .renamed: return (inner.isEmpty ? "" : inner + ": ") + detail + place
        case .added, .removed:
            return (inner.isEmpty ? "" : inner + " ") + "\(kind)\(place)" + (detail.isEmpty ? "" : ": " + detail)
        }
    }
}

/// The parts of one kind in two projects, matched by key, and renamed ones by their former key, as the compiler does.
struct PartPairs<Part: Equatable> {
    let added: [Part]
    let removed: [Part]
    let common: [(before: Part, after: Part)]
    private let key: (Part) -> String

    /// Pairs parts by their keys. Without `formerKey`, a renamed part is another one.
    init(
        _ old: [Part], _ new: [Part], key: @escaping (Part) -> String, formerKey: (Part) -> String? = { _ in nil }
    ) {
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

extension PartPairs where Part: RenamablePart {
    init(_ old: [Part], _ new: [Part]) { self.init(old, new, key: \.key, formerKey: \.formerKey) }
}

/// The words for differences between two values.
enum Detail {
    /// `name before → after`, or nil if both are equal.
    static func changed<Value: Equatable>(_ name: String, _ before: Value?, _ after: Value?) -> String? {
        guard before != after else { return nil }
        func text(_ value: Value?) -> String {
            guard let text = value.map({ "\($0)" }), !text.isEmpty else { return "none" }
            return text
        }
        return "\(name) \(text(before)) → \(text(after))"
    }

    /// `turned on`, `turned off`, or nil if nothing changed.
    static func turned(_ before: Bool, _ after: Bool) -> String? {
        before == after ? nil : after ? "turned on" : "turned off"
    }

    /// The difference between members that are carried verbatim, or nil if they are equal.
    static func verbatim(_ before: [String: JSONValue], _ after: [String: JSONValue]) -> String? {
        let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        return keys.isEmpty ? nil : "datafile members \(keys.joined(separator: ", ")) changed"
    }

    /// The differences of named shares: `split on 50 → 60, big 50 → 40`.
    static func shares(
        _ name: String, _ before: [(name: String, value: String)], _ after: [(name: String, value: String)]
    ) -> [String] {
        let old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.name, $0.value) }) { first, _ in first }
        let changed = after.compactMap { share -> String? in
            guard let value = old[share.name] else { return "\(share.name) \(share.value) (new)" }
            return value == share.value ? nil : "\(share.name) \(value) → \(share.value)"
        }
        let gone = before.filter { new[$0.name] == nil }.map { "\($0.name) \($0.value) (removed)" }
        guard !(changed + gone).isEmpty else { return [] }
        return ["\(name.isEmpty ? "" : name + " ")\((changed + gone).joined(separator: ", "))"]
    }

    /// The difference of two conditions: an operand that was added to or removed from a list, or both in full.
    static func condition(_ name: String, _ before: AuthoredCondition?, _ after: AuthoredCondition?) -> [String?] {
        let (before, after) = (before?.simplified, after?.simplified)
        guard before != after else { return [] }
        let prefix = name.isEmpty ? "" : name + " "
        guard let before, let after else {
            return ["\(prefix)\(words(before, after: name)) → \(words(after, after: name))"]
        }
        guard let (old, new, isAll) = operands(before, after) else {
            return ["\(prefix)\(words(before, after: name)) → \(words(after, after: name))"]
        }
        let added = new.filter { !old.contains($0) }.map(\.words).joined(separator: isAll ? " and " : " or ")
        let removed = old.filter { !new.contains($0) }.map(\.words).joined(separator: isAll ? " and " : " or ")
        guard added.isEmpty || removed.isEmpty else { return ["\(prefix)\(before.words) → \(after.words)"] }
        if !added.isEmpty { return ["\(prefix)\(isAll ? "also requires" : "also admits") \(added)"] }
        if !removed.isEmpty { return ["\(prefix)\(isAll ? "no longer requires" : "no longer admits") \(removed)"] }
        return ["\(prefix)the order of its conditions changed"]
    }

    /// A condition after a name. Avoids `audience audience paying`.
    private static func words(_ condition: AuthoredCondition?, after name: String) -> String {
        switch condition {
        case nil: "everyone"
        case .audience(let key, _)? where name == "audience": key
        case let condition?: condition.words
        }
    }

    /// The operands of both conditions if both are lists of the same kind, or one is a single operand of the other's
    /// kind of list.
    private static func operands(
        _ before: AuthoredCondition, _ after: AuthoredCondition
    ) -> (before: [AuthoredCondition], after: [AuthoredCondition], isAll: Bool)? {
        switch (before, after) {
        case (.all(let old), .all(let new)): (old, new, true)
        case (.any(let old), .any(let new)): (old, new, false)
        case (_, .all(let new)) where new.contains(before): ([before], new, true)
        case (_, .any(let new)) where new.contains(before): ([before], new, false)
        case (.all(let old), _) where old.contains(after): (old, [after], true)
        case (.any(let old), _) where old.contains(after): (old, [after], false)
        default: nil
        }
    }
}
