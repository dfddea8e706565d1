import TurnoutEngine

/// Carries what the project file has no spelling for: compiles a converted project, compares the result with the
/// datafile, and keeps members that differ in the parts they belong to.
struct VerbatimMembers {
    private let converter: DatafileConverter
    /// The text of the datafile.
    private let text: [UInt8]
    private let original: JSONValue
    private let canonical: CanonicalDatafile

    init(_ converter: DatafileConverter, text: [UInt8]) {
        self.converter = converter
        self.text = text
        original = converter.root
        canonical = CanonicalDatafile(original)
    }

    /// The project with the members it carries, its lock, and the names of what is carried.
    func carried() -> (project: AuthoredProject, lock: LockFile, notes: [Diagnostic]) {
        var project = converter.project
        do throws(Diagnostics) {
            try readBack(converter.lock)
            carry(try compiled(project), in: &project)
            for key in differingMembers(of: try compiled(project)) { project.verbatim[key] = original[key] ?? .null }
            let differing = differingMembers(of: try compiled(project))
            guard differing.isEmpty else {
                let names = differing.joined(separator: ", ")
                throw Diagnostics([Diagnostic(.error, "", "\(names) would not be the same")])
            }
            _ = try AuthoredProject.read(json: ProjectWriter.node(of: project).json)
        } catch { return carriedAsAWhole(because: error.all.first { $0.severity == .error }?.message ?? "") }
        return (project, converter.lock, notes(on: project))
    }

    /// Throws if the text of a lock does not read back.
    private func readBack(_ lock: LockFile) throws(Diagnostics) {
        var read = try LockFile(text: lock.text)
        let pair = read.sharedIDs.first { !$0.first.mayShareID(with: $0.second) }
        read.sharedIDs = []
        guard pair != nil || read != lock else { return }
        let names = pair.map { "\($0.first.description) and \($0.second.description) share an id" }
        throw Diagnostics([Diagnostic(.error, "", names ?? "its ids have no lock")])
    }

    /// Adds the members that differ to the parts of the project.
    private func carry(_ compiled: CanonicalDatafile, in project: inout AuthoredProject) {
        for entity in converter.entities {
            let list = entity.list == "audiences" ? "typedAudiences" : entity.list
            guard let expected = canonical[entity.list, entity.id], let found = compiled[list, entity.id] else {
                continue
            }
            for key in Set(expected.keys).union(found.keys) where expected[key] != found[key] {
                project[keyPath: entity.verbatim][key] = entity.original[key] ?? .null
            }
            if project[keyPath: entity.verbatim]["audienceConditions"] != nil {
                project[keyPath: entity.verbatim]["audienceIds"] = entity.original["audienceIds"]
            }
        }
    }

    /// The members of the datafile that still differ. Its revision grows, and a name for its environment is harmless.
    private func differingMembers(of compiled: CanonicalDatafile) -> [String] {
        guard case .object(let members) = original else { return [] }
        let keys = Set(members.keys).union(["holdouts", "localHoldouts", "typedAudiences"])
        return keys.subtracting(["revision", "environmentKey"]).sorted().filter {
            canonical.member($0) != compiled.member($0)
        }
    }

    /// A project without parts, which carries all lists of the datafile.
    private func carriedAsAWhole(
        because reason: String
    ) -> (project: AuthoredProject, lock: LockFile, notes: [Diagnostic]) {
        var project = AuthoredProject(key: converter.project.key)
        project.settings = converter.project.settings
        project.environments = converter.project.environments
        if case .object(let members) = original {
            project.verbatim = members.filter { !["revision", "environmentKey"].contains($0.key) }
        }
        let note = Diagnostic(
            .warning, "carried-verbatim", "the datafile is kept as a whole, because parts of it contradict: \(reason)")
        var lock = LockFile()
        lock.projectKey = project.key
        lock.ids[EntityPath(.project)] = converter.lock.ids[EntityPath(.project)]
        lock.revisions = converter.lock.revisions
        return (project, lock, [note])
    }

    private func compiled(_ project: AuthoredProject) throws(Diagnostics) -> CanonicalDatafile {
        let compiled = ProjectCompiler(project, lock: converter.lock).compile()
        guard let bytes = compiled.datafiles.first?.bytes else { throw compiled.diagnostics }
        do throws(JSONError) {
            return CanonicalDatafile(try JSONValue(parsing: bytes), undeclared: converter.undeclaredAttributes)
        } catch { throw Diagnostics([Diagnostic(.error, "", "\(error)")]) }
    }

    // MARK: Notes

    /// What is carried, with its place in the datafile and the reason.
    private func notes(on project: AuthoredProject) -> [Diagnostic] {
        let parts = project.carriedParts
        guard !parts.isEmpty else { return [] }
        let source = SourceFile(name: "", bytes: text)
        let root = try? Node(json: source)
        return parts.map { part in
            let members = part.members.keys.sorted()
            let id = part.members["id"]?.text ?? part.path.flatMap { converter.lock.ids[$0] }
            let node = root.flatMap { root in part.path.map { Self.node($0.kind, id ?? "", in: root) } ?? root }
            let offset = node?.members.first { members.contains($0.key.text) }?.key.range ?? node?.range
            let reasons = members.map { "\($0) kept as in the datafile, because \(Self.reason(for: $0, of: part))" }
            return Diagnostic(
                .note, "carried-verbatim", "\(part.name): " + reasons.joined(separator: "; "),
                at: offset.map { source.position(of: $0.lowerBound) })
        }
    }

    /// The entity of a kind with an id, in the text of the datafile.
    private static func node(_ kind: EntityPath.Kind, _ id: String, in root: Node) -> Node? {
        func list(_ key: String, in nodes: [Node]) -> [Node] { nodes.flatMap { $0[key]?.elements ?? [] } }
        let holdouts = list("holdouts", in: [root]) + list("localHoldouts", in: [root])
        let rules =
            list("experiments", in: [root]) + list("experiments", in: list("groups", in: [root]))
            + list("experiments", in: list("rollouts", in: [root]))
        let nodes: [Node] =
            switch kind {
            case .attribute: list("attributes", in: [root])
            case .event: list("events", in: [root])
            case .audience: list("typedAudiences", in: [root]) + list("audiences", in: [root])
            case .flag: list("featureFlags", in: [root])
            case .variable: list("variables", in: list("featureFlags", in: [root]))
            case .variation: list("variations", in: rules + holdouts)
            case .rollout: list("rollouts", in: [root])
            case .rule, .layer: rules
            case .group: list("groups", in: [root])
            case .holdout: holdouts
            case .project: []
            }
        return nodes.first { $0["id"]?.text == id }
    }

    /// Why the project file cannot say what a member of the datafile says.
    private static func reason(for member: String, of part: CarriedPart) -> String {
        switch (member, part.path?.kind) {
        case ("id", _), ("layerId", _): "another part has the same, or it is empty"
        case ("key", .rule) where part.path?.keys.last == "": "the project file names this rule by its id"
        case ("key", _), ("name", _): "another part has the same"
        case ("experimentIds", .event): "a datafile does not say what an experiment measures"
        case ("experimentIds", .flag), ("rolloutId", .flag): "another flag has the same rules"
        case ("type", .variable), ("subType", .variable): "a value is not of this type, or the type is unknown"
        case ("status", .rule), ("type", .rule): "a rule of this kind has no such word in the project file"
        case ("trafficAllocation", _): "its ranges are not shares of the variations"
        case ("variables", .variation): "the flag has no such variables, or one occurs twice"
        case ("variables", .flag): "two variables have the same id or key"
        case ("variations", _): "a variation is missing or occurs twice"
        case ("forcedVariations", _): "a user gets a variation that the rule lacks"
        case ("audienceConditions", _), ("audienceIds", _), ("conditions", _), ("condition", _):
            "the condition has a form that the project file does not know"
        case ("attributes", nil), ("audiences", nil), ("typedAudiences", nil), ("featureFlags", nil),
            ("experiments", nil), ("events", nil), ("groups", nil), ("rollouts", nil), ("holdouts", nil),
            ("localHoldouts", nil):
            "parts of the list contradict each other"
        default: "the project file has no word for it"
        }
    }
}

/// An entity of the datafile that the project has a part for, and where the part keeps members verbatim.
struct ImportedEntity {
    /// The list of the datafile: `experiments`, `featureFlags` and so on; `rules` for those of rollouts, and
    /// `lastRules` for those for everyone else.
    let list: String
    /// The id in the list; the key of an attribute, an event or a flag. For `lastRules`, the id of the rollout.
    let id: String
    /// The entity in the datafile.
    let original: JSONValue
    /// The part's members that are written as they are.
    let verbatim: WritableKeyPath<AuthoredProject, [String: JSONValue]>
}
