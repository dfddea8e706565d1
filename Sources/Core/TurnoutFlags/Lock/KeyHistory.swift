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
