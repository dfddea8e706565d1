/// The renames of one branch, applied to the lines that another branch wrote with the old keys.
struct MergedRenames {
    /// A key of a path, with those before it.
    private struct Place: Hashable {
        let role: Role
        let keys: [String]
    }

    fileprivate enum Role {
        case environment, flag, rule, group, holdout, variation, other
    }

    /// The new keys of old ones.
    private var keys: [Place: String] = [:]
    /// The new names of rules in the traffic of groups, by environment and old name.
    private var groupKeys: [[String]: String] = [:]
    /// Pairs of keys that both exist in the project, and share an id although they may not.
    private(set) var unresolved: [SharedID] = []

    init(_ shared: [SharedID], in project: AuthoredProject) {
        for pair in shared {
            switch (project.place(of: pair.first) != nil, project.place(of: pair.second) != nil) {
            case (false, true): add(pair.first, pair.second)
            case (true, false): add(pair.second, pair.first)
            // The id of neither is in use, so both can be retired.
            case (false, false): break
            case (true, true): if !pair.first.mayShareID(with: pair.second) { unresolved.append(pair) }
            }
        }
    }

    private mutating func add(_ old: EntityPath, _ new: EntityPath) {
        guard old.keys.count == new.keys.count else { return }
        for (index, (key, newKey)) in zip(old.keys, new.keys).enumerated() where key != newKey {
            keys[Place(role: old.role(at: index), keys: Array(old.keys[...index]))] = newKey
        }
        if old.kind == .rule, let name = old.lockKey, let newName = new.lockKey {
            groupKeys[[old.keys[0], name]] = newName
        }
    }

    /// The path with the new keys.
    private func renamed(_ path: EntityPath) -> EntityPath {
        var path = path
        let old = path.keys
        for index in old.indices {
            if let key = keys[Place(role: path.role(at: index), keys: Array(old[...index]))] { path.keys[index] = key }
        }
        return path
    }

    /// The traffic of a path with the new keys of variations, or of the rules of a group.
    private func renamed(_ allocation: TrafficAllocation, of path: EntityPath) -> TrafficAllocation {
        var allocation = allocation
        for index in allocation.ranges.indices where !allocation.ranges[index].key.isEmpty {
            let key = allocation.ranges[index].key
            let scopes = path.kind == .rule && path.keys.count == 3 ? [path.keys, [path.keys[1]]] : [path.keys]
            let names = scopes.compactMap { keys[Place(role: .variation, keys: $0 + [key])] }
            let name = path.kind == .group ? groupKeys[[path.keys[0], key]] : names.first
            if let name { allocation.ranges[index].key = name }
        }
        return allocation
    }

    /// The lock without the old keys: what they have in addition belongs to the new ones.
    func applied(to lock: LockFile) -> LockFile {
        guard !keys.isEmpty else { return lock }
        var merged = lock
        for (path, id) in lock.ids.sorted(by: { $0.key < $1.key }) {
            let target = renamed(path)
            guard target != path else { continue }
            merged.ids[path] = nil
            guard let known = merged.ids[target] else {
                merged.ids[target] = id
                continue
            }
            // Both branches added a part, one with the old and one with the new key of what contains it.
            if !known.hasSameBytes(as: id) { merged.addRetired(id, of: path) }
        }
        for (path, types) in lock.types {
            let target = renamed(path)
            guard target != path else { continue }
            merged.types[path] = nil
            merged.types[target, default: []].formUnion(types)
        }
        for path in lock.allocations.keys.sorted() {
            let target = renamed(path)
            let candidates = lock.allocations(of: path).map { renamed($0, of: path) }
            guard target != path || candidates != lock.allocations(of: path) else { continue }
            if target != path {
                merged.allocations[path] = nil
                merged.mergedAllocations[path] = nil
            }
            merged.add(candidates, of: target, replacing: target == path, lines: lock.mergedLines[path] ?? [])
        }
        for place in keys.keys where place.role == .environment {
            guard let old = merged.revisions.removeValue(forKey: place.keys[0]), let key = keys[place] else { continue }
            let number = max(old.number, merged.revisions[key]?.number ?? 0)
            merged.revisions[key] = LockFile.Revision(number: number, contentHash: "")
        }
        return merged
    }
}

extension LockFile {
    fileprivate mutating func add(
        _ candidates: [TrafficAllocation], of path: EntityPath, replacing: Bool, lines: [Int]
    ) {
        var all = replacing ? [] : allocations(of: path)
        for candidate in candidates where !all.contains(candidate) { all.append(candidate) }
        allocations[path] = all.first
        mergedAllocations[path] = all.count > 1 ? Array(all.dropFirst()) : nil
        if !lines.isEmpty { mergedLines[path, default: []] += lines }
    }
}

extension EntityPath {
    /// The kind of entity that the key at an index of the path names.
    fileprivate func role(at index: Int) -> MergedRenames.Role {
        let roles: [MergedRenames.Role] =
            switch (kind, keys.count) {
            case (.flag, _), (.variable, _): [.flag, .other]
            case (.variation, 2): [.flag, .variation]
            case (.variation, 3): [.environment, .holdout, .variation]
            case (.holdout, _), (.audience, 2): [.environment, .holdout]
            case (.rollout, _), (.rule, _), (.layer, _), (.audience, 3), (.variation, _):
                [.environment, .flag, .rule, .variation]
            case (.group, _): [.environment, .group]
            default: []
            }
        return roles.indices.contains(index) ? roles[index] : .other
    }

    /// The rule as the traffic of groups names it.
    fileprivate var lockKey: String? {
        guard kind == .rule, keys.count == 3 else { return nil }
        return RuleReference(flag: keys[1].isEmpty ? nil : keys[1], rule: keys[2]).lockKey
    }
}
