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
