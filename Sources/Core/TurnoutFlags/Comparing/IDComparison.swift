/// The parts with the same name but different ids in two projects. Programs and results treat them as different parts.
struct IDComparison {
    private let old: LockFile
    private let new: LockFile

    init(from old: LockFile, to new: LockFile) { (self.old, self.new) = (old, new) }

    /// The changes, each with what follows from it.
    var changes: [ProjectChange] {
        new.ids.keys.sorted().compactMap { path in
            guard let before = old.ids[path], let after = new.ids[path], !before.hasSameBytes(as: after),
                let (subject, environment) = Self.place(of: path)
            else { return nil }
            let detail = "id \(before) → \(after): \(path.kind.consequence)"
            return ProjectChange(.changed, subject, detail, environments: environment.map { [$0] } ?? [])
        }
    }

    /// The part in the words of the comparison, and its environment; nil for those that the project file does not name.
    private static func place(of path: EntityPath) -> (subject: [String], environment: String?)? {
        let keys = path.keys
        let name = path.kind.rawValue + " "
        switch (path.kind, keys.count) {
        case (.attribute, _), (.event, _), (.audience, 1), (.flag, _): return ([name + keys[0]], nil)
        case (.variable, _), (.variation, 2): return (["flag " + keys[0], name + keys[1]], nil)
        case (.rule, 3) where !keys[2].isEmpty:
            return (keys[1].isEmpty ? ["experiment " + keys[2]] : ["flag " + keys[1], name + keys[2]], keys[0])
        case (.group, _), (.holdout, _): return ([name + keys[1]], keys[0])
        case (.project, _), (.audience, _), (.variation, _), (.rollout, _), (.rule, _), (.layer, _): return nil
        }
    }
}

extension EntityPath.Kind {
    /// The consequence of another id. Users are assigned by the ids of rules, groups and holdouts; results and stored
    /// assignments are kept by ids.
    fileprivate var consequence: String {
        switch self {
        case .rule, .group, .holdout: "its users are assigned anew"
        case .variation: "results start again, and stored assignments to it are lost"
        case .attribute, .event: "results before and after are kept apart"
        case .project, .audience, .flag, .variable, .rollout, .layer: "programs that use ids see another \(rawValue)"
        }
    }
}
