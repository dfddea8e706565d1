import TurnoutEngine

/// The ids and the traffic of a project, and the types of its variables: what must not change although the project file
/// does not say so.
///
/// Bucketing hashes ids, and results are stored by id. The lock therefore keeps the id of every key that the project
/// ever had, and how each rule's buckets are divided. It lives beside the project file, in `turnout.lock`; the
/// compiler writes it and git merges it line by line.
package struct LockFile: Sendable, Equatable {
    /// The key of the project; nil before the first compilation. The lock of one project is never taken for another.
    package var projectKey: String?
    /// The ids of the keys that the project has.
    package var ids: [EntityPath: String] = [:]
    /// The ids of keys that the project no longer has, in ascending order. They are never given to another key.
    package var retiredIDs: [EntityPath: [String]] = [:]
    /// How the buckets of experiments, deliveries, holdouts and groups are divided.
    package var allocations: [EntityPath: TrafficAllocation] = [:]
    /// The types of variables, as programs read them; several after a merge of branches.
    package var types: [EntityPath: Set<String>] = [:]
    /// Further divisions of the same paths, from branches that git merged. The next compilation chooses one per path.
    package var mergedAllocations: [EntityPath: [TrafficAllocation]] = [:]
    /// The lines of the divisions of these paths.
    package var mergedLines: [EntityPath: [Int]] = [:]
    /// Keys with the same id, from branches that git merged. The next compilation keeps one per id.
    package var sharedIDs: [SharedID] = []
    /// The revisions of the compiled datafiles, by environment.
    package var revisions: [String: Revision] = [:]

    /// The divisions of a path: several after a merge of branches, none for a new path.
    func allocations(of path: EntityPath) -> [TrafficAllocation] {
        guard let first = allocations[path] else { return [] }
        return [first] + mergedAllocations[path, default: []]
    }

    /// Whether each id and each division of this lock is also in an earlier one, so that none is new or changed.
    package func keepsIDsAndTraffic(of earlier: LockFile) -> Bool {
        ids.allSatisfy { earlier.ids[$0] == $1 } && allocations.allSatisfy { earlier.allocations[$0] == $1 }
    }

    /// Creates the lock of a project that was never compiled.
    package init() {}

    /// The revision of a compiled datafile.
    package struct Revision: Sendable, Equatable {
        /// The number in the datafile; it grows with every change, up to the greatest.
        package var number: Int
        /// A hash of the datafile without its revision, which tells whether it changed.
        package var contentHash: String

        /// Every integer up to this one is exact in a double, in which other programs read numbers.
        static let greatest = 1 << 53

        package init(number: Int, contentHash: String) {
            self.number = number
            self.contentHash = contentHash
        }
    }
}

/// The name of something that has an id: its kind, and the keys that lead to it.
package struct EntityPath: Sendable, Hashable, Comparable {
    /// The kinds of things that have ids. The comments give the keys of the path.
    package enum Kind: String, Sendable, CaseIterable {
        case project
        /// Attribute.
        case attribute
        /// Event.
        case event
        /// Audience. For the condition that a rule or a holdout has without a name: environment, flag (empty without a
        /// flag), rule; or environment, holdout.
        case audience
        /// Flag.
        case flag
        /// Flag, variable.
        case variable
        /// Flag, variation; shared by all environments. For variations of a single rule: environment, flag (empty
        /// without a flag), rule, variation. For those of a holdout: environment, holdout, variation.
        case variation
        /// Environment, flag: the deliveries of the flag.
        case rollout
        /// Environment, flag (empty without a flag), rule; the rule for everyone else, whose key is empty, only if it
        /// was imported.
        case rule
        /// Environment, flag, rule: the campaign that events of the rule are reported for.
        case layer
        /// Environment, group.
        case group
        /// Environment, holdout.
        case holdout
    }

    /// The kind of the entity.
    package var kind: Kind
    /// The keys, from the outside in.
    package var keys: [String]

    package init(_ kind: Kind, _ keys: String...) { self.init(kind, keys) }

    package init(_ kind: Kind, _ keys: [String]) {
        self.kind = kind
        self.keys = keys
    }

    /// In the order of the lock file: by kind, then by keys, byte for byte.
    package static func < (left: EntityPath, right: EntityPath) -> Bool {
        guard left.kind == right.kind else { return left.kind.rawValue < right.kind.rawValue }
        return left.keys.lexicographicallyPrecedes(right.keys) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// How 10,000 buckets are divided: ranges that follow one another from 0, each for one key.
package struct TrafficAllocation: Sendable, Equatable {
    /// The buckets up to the end of a range, from the end of the one before.
    package struct Range: Sendable, Equatable {
        /// The key of a variation, or of a rule in a group (`flag/rule`); empty if these users get nothing.
        package var key: String
        /// The first bucket after the range.
        package var end: Int
        /// Whether the key has no traffic now, so that these users get nothing. They get it back with its traffic.
        package var isPaused = false

        package init(_ key: String, end: Int, isPaused: Bool = false) {
            self.key = key
            self.end = end
            self.isPaused = isPaused
        }
    }

    /// The ranges, by ascending end.
    package var ranges: [Range]

    package init(_ ranges: [Range] = []) { self.ranges = ranges }
}

/// Two keys with the same id, in a lock that git merged.
///
/// Ids are never reused, so one key is the new name of the other: a branch renamed it, and another branch changed lines
/// of the old key. The project tells which key is the new one.
package struct SharedID: Sendable, Equatable {
    /// The path that comes first in the lock.
    package var first: EntityPath
    package var second: EntityPath
    package var lines: [Int]
}

/// The text of a lock: one JSON array per line, sorted by bytes, so that git merges it line by line.
///
///     ["turnout.lock",3,"Ids and traffic of this project. Commit this file; turnout writes it."]
///     ["id","flag","checkout","4631509270382845"]
///     ["project","shop"]
///     ["retired","flag","old","2715408836511903"]
///     ["revision","production",42,"5f0c…"]
///     ["traffic","rule","production","checkout","checkout_ab",[["off",2500],["on",5000]]]
///     ["type","variable","checkout","steps","integer"]
///     ["turnout.lock","end"]
///
/// Ids and traffic name their kind and the keys of their path. A range of traffic ends before its number, and begins
/// where the one before ends. `["on",5000,"paused"]` is kept for a key whose traffic is 0 %.
///
/// The last line never changes, so it merges well; without it, a file that was cut at the end of a line would look
/// complete. Locks of version 1 do not have it, and those of versions 1 and 2 have no types.
extension LockFile {
    static let header = JSONValue.array([
        .string("turnout.lock"), .integer(3),
        .string("Ids and traffic of this project. Commit this file; turnout writes it."),
    ])
    static let end = JSONValue.array([.string("turnout.lock"), .string("end")])

    /// The lock as text. Equal locks have equal text.
    ///
    /// - Complexity: O(n log n) in the number of ids.
    package var text: String {
        var entries = ids.map { Self.entry($0.value, of: $0.key) }
        for (path, ids) in retiredIDs {
            entries += ids.map { [.string("retired")] + path.values + [.string($0)] }
        }
        for (path, allocation) in allocations {
            entries.append([.string("traffic")] + path.values + [.array(allocation.ranges.map(\.value))])
        }
        for (path, types) in types {
            entries += types.map { [.string("type")] + path.values + [.string($0)] }
        }
        if let projectKey { entries.append([.string("project"), .string(projectKey)]) }
        for (environment, revision) in revisions {
            let number = JSONValue.integer(Int64(revision.number))
            entries.append([.string("revision"), .string(environment), number, .string(revision.contentHash)])
        }
        let lines = entries.map { JSONValue.array($0).compactText }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return ([Self.header.compactText] + lines + [Self.end.compactText]).map { $0 + "\n" }.joined()
    }

    /// The line of an id, without its line break.
    static func line(ofID id: String, of path: EntityPath) -> String {
        JSONValue.array(entry(id, of: path)).compactText
    }

    private static func entry(_ id: String, of path: EntityPath) -> [JSONValue] {
        [.string("id")] + path.values + [.string(id)]
    }

}

extension EntityPath {
    fileprivate var values: [JSONValue] { [.string(kind.rawValue)] + keys.map(JSONValue.string) }
}

extension TrafficAllocation.Range {
    /// The additional element of a range without traffic.
    static let pausedMark = JSONValue.string("paused")

    fileprivate var value: JSONValue {
        .array([.string(key), .integer(Int64(end))] + (isPaused ? [Self.pausedMark] : []))
    }
}

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
