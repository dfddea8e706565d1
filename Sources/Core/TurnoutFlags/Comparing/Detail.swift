import TurnoutEngine

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
