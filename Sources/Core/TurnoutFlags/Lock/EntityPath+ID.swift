import TurnoutEngine

extension EntityPath {
    /// The id of a new key: 16 decimal digits below 2^53, derived from the project's key, the path, and how many ids
    /// the path had before.
    ///
    /// Two branches that add the same key derive the same id, so their locks merge.
    func derivedID(project: String, generation: Int) -> String {
        var bytes: [UInt8] = []
        // The lengths keep "a", "bc" apart from "ab", "c".
        for part in [project, kind.rawValue, String(generation)] + keys {
            bytes += "\(part.utf8.count):".utf8
            bytes += part.utf8
        }
        let hash = bytes.withBytes { bytes in
            UInt64(Bucketing.hash(bytes, seed: 1)) << 32 | UInt64(Bucketing.hash(bytes, seed: 2))
        }
        return String(Self.smallestID + hash % (Self.idLimit - Self.smallestID))
    }

    private static let smallestID: UInt64 = 1_000_000_000_000_000
    /// Below 2^53, because many programs read numbers as doubles.
    private static let idLimit: UInt64 = 9_000_000_000_000_000

    /// Whether both may have one id. Variations of one flag may, because the vendor's datafiles list a flag's variation
    /// in each rule; and the rules of a campaign share its layer.
    func mayShareID(with other: EntityPath) -> Bool {
        guard kind == other.kind else { return false }
        return kind == .layer || kind == .variation && flag == other.flag
    }

    /// Whether one id of both means that one is the other after a rename.
    func canBeRenamed(to other: EntityPath) -> Bool {
        if !mayShareID(with: other) { return true }
        return kind == .variation && keys.count == other.keys.count && keys.dropLast() == other.keys.dropLast()
    }

    /// The flag of a variation; nil for variations of holdouts.
    private var flag: String? {
        switch keys.count {
        case 2: keys[0]
        case 4: keys[1]
        default: nil
        }
    }

    /// The kind and the keys, for messages: `rule production/checkout/checkout_ab`.
    package var description: String {
        ([kind.rawValue] + (keys.isEmpty ? [] : [keys.filter { !$0.isEmpty }.joined(separator: "/")]))
            .joined(separator: " ")
    }
}

extension EntityPath.Kind {
    /// How many keys a path has.
    var keyCounts: [Int] {
        switch self {
        case .project: [0]
        case .attribute, .event, .flag: [1]
        case .audience: [1, 2, 3]
        case .variable, .rollout, .group, .holdout: [2]
        case .variation: [2, 3, 4]
        case .rule, .layer: [3]
        }
    }
}

extension LockFile {
    /// Adds the id of a key that the project no longer has.
    mutating func addRetired(_ id: String, of path: EntityPath) {
        var ids = retiredIDs[path] ?? []
        guard !ids.contains(where: { $0.hasSameBytes(as: id) }) else { return }
        ids.append(id)
        retiredIDs[path] = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension String {
    /// Whether both have the same bytes. Swift's `==` also holds for canonically equivalent strings.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
