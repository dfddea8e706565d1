/// The keys that the entities of one list have in the lock: their own, or the one they had before.
///
/// An entity takes over the id of its former key unless its own key is in the lock already. So `was:` may stay in the
/// file after the rename, and the former key may be given to a new entity.
struct KeyHistory {
    private var lockedKeys: [String: String] = [:]
    /// Two entities that name the same former key.
    typealias Duplicate = (first: String, second: String, formerKey: String)
    /// Pairs of entities that name the same former key; only the first takes over its id.
    private(set) var duplicates: [Duplicate] = []

    /// Matches the keys of a list with those in the lock.
    ///
    /// - Complexity: O(n) for n entities.
    init(_ entities: [(key: String, formerKey: String?)], isLocked: (String) -> Bool) {
        var successors: [String: String] = [:]
        for case (let key, let formerKey?) in entities where formerKey != key {
            guard let first = successors[formerKey] else {
                successors[formerKey] = key
                continue
            }
            if first != key { duplicates.append((first, key, formerKey)) }
        }
        let formerKeys = Dictionary(successors.map { ($1, $0) }) { first, _ in first }
        for entity in entities where isLocked(entity.key) { lockedKeys[entity.key] = entity.key }
        for entity in entities where !isLocked(entity.key) {
            // The key that an entity gives up may in turn be the new key of another.
            var key = entity.key
            while let formerKey = formerKeys[key], isLocked(formerKey), lockedKeys[key] != formerKey {
                lockedKeys[key] = formerKey
                if lockedKeys[formerKey] == formerKey { lockedKeys[formerKey] = nil }
                key = formerKey
            }
        }
    }

    /// The key in the lock, or nil if the entity is new.
    subscript(key: String) -> String? { lockedKeys[key] }

    /// The present keys by those in the lock.
    var presentKeys: [String: String] { Dictionary(lockedKeys.map { ($1, $0) }) { first, _ in first } }
}

/// The use of a `was` in the lock, in all environments together: a rule can be new in one and renamed in another.
struct FormerKeyUse {
    /// The identity of a `was` in all environments.
    struct Name: Hashable {
        let kind: String
        let key: String
        let formerKey: String
        let offset: Int?
    }

    let origin: SourceOrigin
    /// The keys that the lock has there.
    var lockedKeys: Set<String> = []
    /// Whether the lock has either of the keys in an environment.
    var isKnown = false
    /// Whether the former key was deleted.
    var isRetired = false
    /// Whether the key got an id of its own before `was` was written, so that the former key was deleted.
    var isLate = false
}

extension Compilation {
    /// Records, for each `was` in a list, its state in the lock.
    mutating func noteFormerKeys(
        of entities: [(key: String, formerKey: String?, origin: SourceOrigin)], _ kind: EntityPath.Kind,
        inside lockedKeys: [String]?, _ history: KeyHistory
    ) {
        for case (let key, let formerKey?, let origin) in entities where formerKey != key {
            let own = lockedKeys.map { EntityPath(kind, $0 + [key]) }
            let former = lockedKeys.map { EntityPath(kind, $0 + [formerKey]) }
            let isRetired = former.map(lock.isRetired) ?? false
            let hasOwnID = history[key] == key && own.map(lock.hasDerivedID) ?? false
            let candidates = history[key] == nil ? lockedKeys.map { lock.keys(kind, inside: $0) } : nil
            note(kind.rawValue, key, formerKey, origin) { use in
                if history[key] != nil { use.isKnown = true }
                if isRetired { use.isRetired = true }
                if isRetired, hasOwnID { use.isLate = true }
                use.lockedKeys.formUnion(candidates ?? [])
            }
        }
    }

    mutating func note(
        _ kind: String, _ key: String, _ formerKey: String, _ origin: SourceOrigin,
        _ update: (inout FormerKeyUse) -> Void
    ) {
        let name = FormerKeyUse.Name(
            kind: kind, key: key, formerKey: formerKey, offset: origin.range?.lowerBound)
        update(&formerKeys[name, default: FormerKeyUse(origin: origin)])
    }

    /// Reports each `was` without effect: the lock lacks its key, or the new key already has its own id. Skipped before
    /// the first compilation, when the lock is empty.
    mutating func reportUnusedFormerKeys() {
        guard !lock.isFirst else { return }
        for (name, use) in formerKeys where use.isLate || !use.isKnown {
            let part = "the \(name.kind) \(quoted(name.key))"
            let former = quoted(name.formerKey)
            if use.isLate {
                report(
                    .retiredFormerKey, "\(part) was \(former), but already got its own id in an earlier compilation",
                    advice: "restore turnout.lock from before that and compile again, or remove \"was\" to keep the "
                        + "new id", at: use.origin)
            } else if use.isRetired {
                report(
                    .retiredFormerKey,
                    "\(part) was \(former), which was deleted; the id of a deleted key is never used again",
                    advice: "remove \"was\", or restore turnout.lock from before \(former) was deleted",
                    at: use.origin)
            } else {
                let meant = Spelling.suggestion(for: name.formerKey, among: use.lockedKeys.sorted())
                report(
                    .unknownFormerKey, "\(part) was \(former), which turnout.lock does not have",
                    advice: (meant.map { $0 + " Otherwise " } ?? "")
                        + "remove \"was\": the key is new and gets an id of its own", at: use.origin)
            }
        }
    }
}
