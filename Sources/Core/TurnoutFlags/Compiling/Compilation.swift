import TurnoutEngine

/// The state that all datafiles of a project share while it is compiled: the lock, the ids of entities without an
/// environment, and the problems found.
struct Compilation {
    /// In the order in which it is compiled.
    let project: AuthoredProject
    var lock: LockUpdate
    /// Whether the datafiles are served without being compiled into files.
    let isServed: Bool
    private(set) var diagnostics = Diagnostics()
    private let source: SourceFile?
    private var reported: Set<String> = []
    /// The use of each `was` in the lock.
    var formerKeys: [FormerKeyUse.Name: FormerKeyUse] = [:]
    /// The keys that the environments have in the lock.
    private(set) var environmentKeys = KeyHistory([]) { _ in false }

    private(set) var projectID = ""
    private(set) var attributeIDs: [String: String] = [:]
    private(set) var eventIDs: [String: String] = [:]
    private(set) var audienceIDs: [String: String] = [:]
    private(set) var flags: [IdentifiedFlag] = []

    init(
        _ project: AuthoredProject, lock: LockFile, source: SourceFile?, publishedRevisions: [String: Int],
        isServed: Bool = false
    ) {
        self.project = project.inCanonicalOrder
        (self.source, self.isServed) = (source, isServed)
        let renames = MergedRenames(lock.sharedIDs, in: project)
        self.lock = LockUpdate(
            renames.applied(to: lock), project: project.key, publishedRevisions: publishedRevisions)
        reportSharedIDs(renames.unresolved)
        identifyEntities()
    }

    private mutating func identifyEntities() {
        identifyEnvironments()
        let path = EntityPath(.project)
        projectID = lock.id(path, lockedAs: path)
        attributeIDs = identify(.attribute, project.attributes.map { ($0.key, $0.formerKey, $0.origin) })
        for attribute in project.attributes {
            if let id = attribute.verbatim.carriedID { attributeIDs[attribute.key] = id }
        }
        eventIDs = identify(.event, project.events.map { ($0.key, $0.formerKey, $0.origin) })
        audienceIDs = identify(.audience, project.audiences.map { ($0.key, $0.formerKey, $0.origin) })
        let history = history(of: project.flags.map { ($0.key, $0.formerKey, $0.origin) }, .flag, inside: [])
        flags = project.flags.map { identify($0, lockedKey: history[$0.key]) }
    }

    /// Environments have no ids; the paths of their rules begin with their keys.
    private mutating func identifyEnvironments() {
        let environments = project.environments
        environmentKeys = KeyHistory(environments.map { ($0.key, $0.formerKey) }, isLocked: lock.isLockedEnvironment)
        report(environmentKeys.duplicates) { key in environments.first { $0.key == key }?.origin }
        let known = lock.environments
        for environment in environments {
            guard let formerKey = environment.formerKey, formerKey != environment.key else { continue }
            let use = FormerKeyUse(
                origin: environment.origin, lockedKeys: known, isKnown: environmentKeys[environment.key] != nil,
                isRetired: lock.isRetiredEnvironment(formerKey))
            note("environment", environment.key, formerKey, environment.origin) { $0 = use }
        }
        for (locked, present) in environmentKeys.presentKeys where locked != present {
            lock.renameEnvironment(locked)
        }
    }

    private mutating func identify(
        _ kind: EntityPath.Kind, _ entities: [(key: String, formerKey: String?, origin: SourceOrigin)]
    ) -> [String: String] {
        let history = history(of: entities, kind, inside: [])
        var ids: [String: String] = [:]
        for entity in entities {
            ids[entity.key] = lock.id(
                EntityPath(kind, entity.key), lockedAs: history[entity.key].map { EntityPath(kind, $0) })
        }
        return ids
    }

    private mutating func identify(_ flag: AuthoredFlag, lockedKey: String?) -> IdentifiedFlag {
        let locked = lockedKey.map { [$0] }
        let id = lock.id(EntityPath(.flag, flag.key), lockedAs: locked.map { EntityPath(.flag, $0) })
        let variables = history(
            of: flag.variables.map { ($0.key, $0.formerKey, $0.origin) }, .variable, inside: locked)
        var variableIDs: [String: String] = [:]
        for variable in flag.variables {
            let (path, lockedPath) = (variable.path(in: flag), variables.path(variable.key, locked))
            let id = lock.id(path, lockedAs: lockedPath)
            variableIDs[variable.key] = variable.verbatim.carriedID ?? id
            if let type = lock.changedType(of: path, to: variable.typeName, lockedAs: lockedPath) {
                reportType(of: variable, in: flag, was: type)
            }
        }
        var variations = flag.variations
        if !variations.contains(where: { $0.key == AuthoredVariation.offKey }) {
            variations.append(AuthoredVariation(key: AuthoredVariation.offKey, isEnabled: false))
        }
        return IdentifiedFlag(
            flag: flag, id: id, lockedKey: lockedKey, variableIDs: variableIDs,
            variations: identify(variations, inside: [flag.key], lockedAs: locked))
    }

    /// Gives ids to the variations of a flag, a rule or a holdout with these keys.
    mutating func identify(
        _ variations: [AuthoredVariation], inside keys: [String], lockedAs lockedKeys: [String]?
    ) -> IdentifiedVariations {
        let history = history(
            of: variations.map { ($0.key, $0.formerKey, $0.origin) }, .variation, inside: lockedKeys)
        var result = IdentifiedVariations(presentKeys: history.keys.presentKeys)
        for variation in variations where result[variation.key] == nil {
            let id = lock.id(
                EntityPath(.variation, keys + [variation.key]), lockedAs: history.path(variation.key, lockedKeys))
            result.add(variation, id: variation.verbatim.carriedID ?? id)
        }
        return result
    }

    /// The keys that the entities of a list have in the lock, below the keys of what contains them.
    mutating func history(
        of entities: [(key: String, formerKey: String?, origin: SourceOrigin)], _ kind: EntityPath.Kind,
        inside lockedKeys: [String]?
    ) -> LockedKeys {
        let keys = KeyHistory(entities.map { ($0.key, $0.formerKey) }) { key in
            lockedKeys.map { lock.isLocked(EntityPath(kind, $0 + [key])) } ?? false
        }
        report(keys.duplicates) { key in entities.first { $0.key == key }?.origin }
        noteFormerKeys(of: entities, kind, inside: lockedKeys, keys)
        return LockedKeys(kind: kind, keys: keys)
    }

    private mutating func report(_ duplicates: [KeyHistory.Duplicate], origin: (String) -> SourceOrigin?) {
        for duplicate in duplicates {
            report(
                .duplicateFormerKey,
                "both \"\(duplicate.first)\" and \"\(duplicate.second)\" declare `was: \(duplicate.formerKey)`",
                advice: "remove one `was`; its key gets a new id", at: origin(duplicate.second) ?? SourceOrigin())
        }
    }

    // MARK: Problems

    /// Adds an error, unless it was reported for another environment.
    mutating func report(
        _ problem: CompilingProblem, _ message: String, advice: String? = nil, at origin: SourceOrigin
    ) {
        let position = origin.range.flatMap { range in source?.position(of: range.lowerBound) }
        let diagnostic = Diagnostic(.error, problem.rawValue, message, advice: advice, at: position)
        guard reported.insert(diagnostic.text(in: "")).inserted else { return }
        diagnostics.add(diagnostic)
    }

    mutating func report(_ problem: ConditionCompiler.Problem, at origin: SourceOrigin) {
        let place = problem.origin.range == nil ? origin : problem.origin
        report(problem.kind, problem.message, advice: problem.advice, at: place)
    }

    /// Reports rules that groups and holdouts name but that the project does not have.
    mutating func reportUnknownRules() {
        var experiments = Set(project.experiments.map { RuleReference(flag: nil, rule: $0.key) })
        var deliveries: Set<RuleReference> = []
        for flag in project.flags {
            for rules in [flag.rules] + flag.rulesByEnvironment.values {
                experiments.formUnion(rules.experiments.map { RuleReference(flag: flag.key, rule: $0.key) })
                deliveries.formUnion(rules.deliveries.map { RuleReference(flag: flag.key, rule: $0.key) })
            }
        }
        for group in project.groups {
            for member in group.members where !experiments.contains(member.experiment) {
                let name = member.experiment.name
                report(
                    .unknownRule, "the group \"\(group.key)\" names \(name), which is not an experiment",
                    at: member.experiment.origin)
            }
        }
        for holdout in project.holdouts {
            for rule in holdout.rules where !experiments.contains(rule) && !deliveries.contains(rule) {
                report(
                    .unknownRule, "the holdout \"\(holdout.key)\" names \(rule.name), which does not exist",
                    at: rule.origin)
            }
        }
    }

    /// Reports new keys from which the id of another key is derived.
    ///
    /// Giving one of them the next id instead would depend on the order of the file, and so differ between branches.
    mutating func reportCollisions() {
        for collision in lock.collisions {
            let line = LockFile.line(ofID: collision.freeID, of: collision.path)
            let (new, other) = (collision.path.description, collision.other.description)
            report(
                .idCollision, "the same id is derived from the keys of \(new) and \(other)",
                advice: "rename one of them"
                    + (lock.isFirst ? "" : ", or keep both and add the line \(line) to turnout.lock"),
                at: project.place(of: collision.path) ?? SourceOrigin())
        }
    }

    private mutating func reportType(of variable: AuthoredVariable, in flag: AuthoredFlag, was type: String) {
        let spelling: String? =
            switch (type, variable.type) {
            case ("double", .integer): variable.defaultValue + ".0"
            case ("string", .integer), ("string", .double), ("string", .boolean): "\"\(variable.defaultValue)\""
            default: nil
            }
        report(
            .variableType,
            "the variable \"\(variable.key)\" of flag \(flag.key) was \(type), and is \(variable.typeName) now",
            advice: (spelling.map { "write \($0) to keep the type; " } ?? "")
                + "programs that read it as \(type) get their own default: add another variable for the new type, or "
                + "accept the change with `turnout compile --force` (and `turnout set --force`)", at: variable.origin)
    }

    fileprivate mutating func reportSharedIDs(_ shared: [SharedID]) {
        for pair in shared {
            let lines = pair.lines.map(String.init).joined(separator: " and ")
            report(
                .lockSameID,
                "\(pair.first.description) and \(pair.second.description) have the same id in turnout.lock, in the "
                    + "lines \(lines)",
                advice: "if one was renamed to the other, delete the old one from the project; otherwise keep the line "
                    + "of the key that is deployed and delete the other, whose key then gets an id of its own",
                at: project.place(of: pair.second) ?? SourceOrigin())
        }
    }

    /// Reports traffic that two merged branches changed, where the project agrees with neither, or with both.
    mutating func reportUndecidedTraffic() {
        for (path, lines) in lock.undecidedAllocations {
            let numbers = lines.map(String.init).joined(separator: " and ")
            report(
                .lockTwoAllocations,
                "turnout.lock has two lines for the traffic of \(path.description), \(numbers), from two branches, and "
                    + "the project does not say which is right",
                advice: "keep the line that is deployed, and delete the other; turnout compile extends it",
                at: project.place(of: path) ?? SourceOrigin())
        }
    }
}

/// The keys in the lock of the entities of a list.
struct LockedKeys {
    let kind: EntityPath.Kind
    let keys: KeyHistory

    /// The key in the lock, or nil if the entity is new.
    subscript(key: String) -> String? { keys[key] }

    /// The path in the lock, or nil if the entity is new.
    func path(_ key: String, _ lockedKeys: [String]?) -> EntityPath? {
        guard let lockedKeys, let locked = keys[key] else { return nil }
        return EntityPath(kind, lockedKeys + [locked])
    }
}

/// A flag with the ids that it has in all environments.
struct IdentifiedFlag {
    let flag: AuthoredFlag
    let id: String
    /// The key in the lock, or nil if the flag is new.
    let lockedKey: String?
    let variableIDs: [String: String]
    let variations: IdentifiedVariations
}

struct IdentifiedVariations {
    /// The present keys by those in the lock.
    let presentKeys: [String: String]
    private var byKey: [String: (variation: AuthoredVariation, id: String)] = [:]

    init(presentKeys: [String: String] = [:]) { self.presentKeys = presentKeys }

    subscript(key: String) -> (variation: AuthoredVariation, id: String)? { byKey[key] }

    mutating func add(_ variation: AuthoredVariation, id: String) { byKey[variation.key] = (variation, id) }
}

extension [String: JSONValue] {
    /// The id in `datafile`, which replaces that of the lock wherever the datafile names the part.
    var carriedID: String? { self["id"]?.text }
}

extension Compilation {
    /// The source location of the part that makes a datafile invalid: the part at the error's path if it has a
    /// location, otherwise the environment. Lists of the datafile have the order of the project.
    func place(of error: DatafileError, in environment: String) -> SourceOrigin {
        let other = project.environments.first { $0.key == environment }?.origin ?? project.origin
        guard case .invalid(let error) = error, case .key(let list)? = error.path.first else { return other }
        // Carried members take the place of a whole list, or make a member of the datafile itself wrong.
        guard error.path.count > 2, project.verbatim[list] == nil, case .index(let index) = error.path[1] else {
            return project.verbatim[list] == nil ? other : project.origin
        }
        let places: [SourceOrigin] =
            switch list {
            case "attributes": project.attributes.map(\.origin)
            case "events": project.events.map(\.origin)
            case "audiences", "typedAudiences": project.audiences.map(\.origin)
            case "featureFlags": project.flags.map(\.origin)
            case "rollouts": project.flags.filter { $0.rules(in: environment).hasRollout }.map(\.origin)
            case "groups": project.groups.map(\.origin)
            default: []
            }
        return places.indices.contains(index) ? places[index] : other
    }
}

extension JSONValue {
    /// The experiments and rollouts that a datafile's flags name although they do not exist: `experiment 17 of flag f`.
    /// The vendor's Python client cannot read a datafile with one; others skip it.
    var missingRules: [String] {
        let experiments = Set(allExperiments.compactMap { $0["id"]?.text })
        let rollouts = Set(list("rollouts").compactMap { $0["id"]?.text } + [""])
        return list("featureFlags").flatMap { flag -> [String] in
            let name = "flag \(flag["key"]?.text ?? "")"
            let ids = flag.list("experimentIds").compactMap(\.text).filter { !experiments.contains($0) }
            let rolloutID = flag["rolloutId"]?.text ?? ""
            return ids.map { "experiment \($0) of \(name)" }
                + (rollouts.contains(rolloutID) ? [] : ["rollout \(rolloutID) of \(name)"])
        }
    }
}
