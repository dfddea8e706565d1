/// The lock that a compilation writes: assigns ids and traffic, based on the lock of the last compilation.
struct LockUpdate {
    /// The lock with everything that was asked for so far.
    fileprivate(set) var lock = LockFile()
    fileprivate let previous: LockFile
    private let project: String
    /// The revisions of the datafiles that the new ones replace, by environment.
    private let publishedRevisions: [String: Int]
    /// The paths of the previous lock whose ids are still in use.
    private var kept: Set<EntityPath> = []
    /// The paths that have or had an id.
    private var owners: [String: EntityPath] = [:]
    /// The new paths whose derived id another path has.
    private(set) var collisions: [IDCollision] = []
    /// The paths whose traffic differs between merged branches, where the project asks for neither.
    private(set) var undecidedAllocations: [(path: EntityPath, lines: [Int])] = []

    init(_ previous: LockFile, project: String, publishedRevisions: [String: Int]) {
        self.previous = previous
        self.project = project
        self.publishedRevisions = publishedRevisions
        lock.projectKey = project
        lock.retiredIDs = previous.retiredIDs
        lock.revisions = previous.revisions
        for (path, ids) in previous.retiredIDs { for id in ids { owners[id] = path } }
        for (path, id) in previous.ids { owners[id] = path }
    }

    /// Whether nothing was compiled before.
    var isFirst: Bool { previous.ids.isEmpty }

    /// Whether the last compilation knew a path.
    func isLocked(_ path: EntityPath) -> Bool { previous.ids[path] != nil }

    /// Whether the path had an id, and has none now.
    func isRetired(_ path: EntityPath) -> Bool { previous.retiredIDs[path] != nil }

    /// Whether the id of a path is derived from it, so that it was never renamed.
    func hasDerivedID(_ path: EntityPath) -> Bool { previous.ids[path].map { derives(path, $0) } ?? false }

    /// The last keys of the paths of a kind below other keys.
    func keys(_ kind: EntityPath.Kind, inside keys: [String]) -> Set<String> {
        let paths = previous.ids.keys.filter {
            $0.kind == kind && $0.keys.count == keys.count + 1 && $0.keys.starts(with: keys)
        }
        return Set(paths.compactMap(\.keys.last))
    }

    /// The id of a path. `lockedPath` is its path in the previous lock, or nil if it is new.
    mutating func id(_ path: EntityPath, lockedAs lockedPath: EntityPath?, prefix: String = "") -> String {
        if let id = lock.ids[path] { return id }
        let id: String
        if let lockedPath, let locked = previous.ids[lockedPath] {
            id = locked
            kept.insert(lockedPath)
        } else {
            id = newID(path, prefix: prefix)
        }
        lock.ids[path] = id
        return id
    }

    /// Records the type of a variable.
    ///
    /// - Returns: The type that programs know, if it is another one; nil also if no lock has a type of the variable.
    mutating func changedType(
        of path: EntityPath, to type: String, lockedAs lockedPath: EntityPath?
    ) -> String? {
        lock.types[path] = [type]
        // The key of a new variable can be one that another variable gives up.
        let known = lockedPath.flatMap { previous.types[$0] } ?? (isLocked(path) ? nil : previous.types[path])
        guard let known, !known.contains(type) else { return nil }
        return known.min()
    }

    /// Each id that the path had is a generation. An id that is in use belonged to the path before a rename, unless its
    /// owner derives the same one.
    private mutating func newID(_ path: EntityPath, prefix: String) -> String {
        var generation = previous.retiredIDs[path]?.count ?? 0
        var other: EntityPath?
        while true {
            let id = prefix + path.derivedID(project: project, generation: generation)
            guard let owner = owners[id] else {
                owners[id] = path
                if let other { collisions.append(IDCollision(path: path, other: other, freeID: id)) }
                return id
            }
            if owner != path, derives(owner, id) { other = owner }
            generation += 1
        }
    }

    /// Whether an id is derived from a path, and not that of a former key.
    private func derives(_ path: EntityPath, _ id: String) -> Bool {
        let generations = (previous.retiredIDs[path]?.count ?? 0) + Self.renameLimit
        return (0...generations).contains { id.hasSuffix(path.derivedID(project: project, generation: $0)) }
    }

    /// The maximum number of renames away from the same key.
    private static let renameLimit = 100

    /// The traffic of a path for its datafile, extended from that of the previous lock. `presentKey` returns the
    /// present key for one in the previous lock. Ranges of keys whose traffic is 0 % stay in the lock.
    ///
    /// If merged branches have different traffic, the one that the project agrees with is kept. The other branch did
    /// not edit it, or its edit was given up in the merge.
    mutating func allocation(
        _ path: EntityPath, lockedAs lockedPath: EntityPath?, presentKey: (String) -> String,
        targets: (TrafficAllocation) -> [TrafficAllocation.Target]
    ) -> TrafficAllocation {
        var candidates = lockedPath.map { previous.allocations(of: $0) } ?? []
        for index in candidates.indices { candidates[index].rename(presentKey) }
        // In a group, the users of a share that was paused return to its experiment, and get no other one's.
        func extended(_ known: TrafficAllocation) -> TrafficAllocation {
            known.extended(to: targets(known), resumesFirst: path.kind == .group)
        }
        if candidates.count > 1 {
            candidates = candidates.filter { extended($0) == $0 }
            if candidates.count != 1 {
                undecidedAllocations.append((path, lockedPath.flatMap { previous.mergedLines[$0] } ?? []))
            }
        }
        let allocation = extended(candidates.first ?? TrafficAllocation())
        lock.allocations[path] = allocation
        return allocation.active
    }

    /// The traffic of a bandit, as the previous lock has it. Clients do not divide its users by ranges, but its
    /// datafile keeps those that it was imported with, or had as an experiment.
    mutating func keptAllocation(
        _ path: EntityPath, lockedAs lockedPath: EntityPath?, presentKey: (String) -> String
    ) -> TrafficAllocation {
        guard var known = lockedPath.flatMap({ previous.allocations[$0] }), !known.ranges.isEmpty else {
            return TrafficAllocation()
        }
        known.rename(presentKey)
        lock.allocations[path] = known
        return known.active
    }

    /// The number for a datafile with a hash: the previous one if its content did not change. It is never below that
    /// of the datafile in its place, which can be of another environment that had the key before.
    mutating func revision(_ environment: String, lockedAs lockedKey: String?, contentHash: String) -> Int {
        let known = previous.revisions[lockedKey ?? environment]
        let published = publishedRevisions[environment] ?? 0
        let next = min(max(known?.number ?? 0, published) + 1, LockFile.Revision.greatest)
        let number = known.map { $0.contentHash == contentHash && $0.number >= published ? $0.number : next } ?? next
        lock.revisions[environment] = LockFile.Revision(number: number, contentHash: contentHash)
        return number
    }

    /// The revision for a datafile that is served without being compiled into a file. It is the number of the last
    /// compiled one if the content is the same. Otherwise it is derived from the content: clients compare revisions, so
    /// it differs between any two contents, and is the same for one content on each server.
    func servedRevision(_ environment: String, lockedAs lockedKey: String?, contentHash: String) -> String {
        let known = previous.revisions[lockedKey ?? environment]
        let number = String(known?.number ?? 0)
        return known?.contentHash == contentHash ? number : "\(number)-\(contentHash.prefix(12))"
    }

    /// The lock, in which the ids of keys that were not asked for are retired.
    consuming func finished() -> LockFile {
        for (path, id) in previous.ids where !kept.contains(path) { lock.addRetired(id, of: path) }
        return lock
    }

    // MARK: Environments
    /// The environments that the last compilation knew.
    var environments: Set<String> {
        Set(previous.ids.keys.compactMap(\.environment)).union(
            previous.revisions.keys.filter { !isRetiredEnvironment($0) })
    }

    /// Whether the last compilation knew an environment.
    func isLockedEnvironment(_ key: String) -> Bool { environments.contains(key) }

    /// Whether parts of an environment had ids, and none has one now.
    func isRetiredEnvironment(_ key: String) -> Bool {
        previous.retiredIDs.keys.contains { $0.environment == key }
            && !previous.ids.keys.contains { $0.environment == key }
    }

    /// Ends the revisions of an environment that has another key now, which continues them.
    mutating func renameEnvironment(_ key: String) { lock.revisions[key] = nil }
}

extension EntityPath {
    /// The environment to which the path belongs; nil if it belongs to all.
    var environment: String? {
        switch (kind, keys.count) {
        case (.rollout, _), (.rule, _), (.layer, _), (.group, _), (.holdout, _): keys.first
        case (.variation, 3...), (.audience, 2...): keys.first
        default: nil
        }
    }
}

/// Two keys from which the same id is derived.
struct IDCollision {
    let path: EntityPath
    /// The key that has the id.
    let other: EntityPath
    /// An id that the new key can have.
    let freeID: String
}

extension TrafficAllocation {
    /// Replaces the keys of the ranges. Ranges without a variation have no key, and stay.
    fileprivate mutating func rename(_ presentKey: (String) -> String) {
        for index in ranges.indices where !ranges[index].key.isEmpty {
            ranges[index].key = presentKey(ranges[index].key)
        }
    }
}

/// A key that the lock has and that the project no longer has.
package struct RemovedKey: Sendable, Equatable {
    /// The path whose id is retired.
    package let path: EntityPath
    /// The only new path of the same kind beside it, which may be its new name; nil if there is none, or several.
    package let possibleNewPath: EntityPath?
}

extension CompiledProject {
    /// The keys whose ids this compilation retires, in the order of the lock. Parts of a removed flag or of a removed
    /// environment are left out, and a rule is named once, for the first of its environments.
    ///
    /// - Parameter earlier: The lock before the compilation.
    /// - Returns: The removed keys.
    package func removedKeys(from earlier: LockFile) -> [RemovedKey] {
        let lost = Self.paths(of: earlier, missingIn: lock)
        let new = Self.paths(of: lock, missingIn: earlier)
        let lostFlags = Set(lost.filter { $0.kind == .flag }.map { $0.keys[0] })
        let environments = Set(datafiles.map(\.environment))
        var named: Set<[String]> = []
        return lost.compactMap { path in
            guard path.flagKey.map({ path.kind == .flag || !lostFlags.contains($0) }) ?? true,
                path.environment.map(environments.contains) ?? true,
                named.insert([path.kind.rawValue] + path.keysOfAllEnvironments).inserted
            else { return nil }
            let others = new.filter { $0.kind == path.kind && $0.keys.dropLast() == path.keys.dropLast() }
            let isOnlyOne = others.count == 1 && lost.count { $0.kind == path.kind && $0.isBeside(path) } == 1
            return RemovedKey(path: path, possibleNewPath: isOnlyOne ? others.first : nil)
        }
    }

    /// The paths of parts that people name, whose ids another lock does not have.
    private static func paths(of lock: LockFile, missingIn other: LockFile) -> [EntityPath] {
        let ids = Set(other.ids.values)
        return lock.ids.filter { $0.key.isNamed && !ids.contains($0.value) }.map(\.key).sorted()
    }
}

extension EntityPath {
    /// Whether people give the part its key. Conditions without a name, campaigns, and the rule for everyone else have
    /// none, and variations of single rules change with them.
    fileprivate var isNamed: Bool {
        switch kind {
        case .attribute, .event, .flag, .variable, .group, .holdout: true
        case .audience: keys.count == 1
        case .variation: keys.count == 2
        case .rule: keys.last?.isEmpty == false
        case .project, .rollout, .layer: false
        }
    }

    /// The key of the flag that the part belongs to, or is.
    fileprivate var flagKey: String? {
        switch kind {
        case .flag, .variable, .variation: keys[0]
        case .rule: keys[1]
        default: nil
        }
    }

    fileprivate var keysOfAllEnvironments: ArraySlice<String> { environment == nil ? keys[...] : keys.dropFirst() }

    fileprivate func isBeside(_ other: EntityPath) -> Bool { keys.dropLast() == other.keys.dropLast() }
}
