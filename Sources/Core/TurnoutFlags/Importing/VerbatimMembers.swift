import TurnoutEngine

/// Carries what the project file has no spelling for: compiles a converted project, compares the result with the
/// datafile, and keeps members that differ in the parts they belong to.
struct VerbatimMembers {
    private let converter: DatafileConverter
    private let original: JSONValue
    private let canonical: CanonicalDatafile

    init(_ converter: DatafileConverter, original: JSONValue) {
        self.converter = converter
        self.original = original
        canonical = CanonicalDatafile(original)
    }

    /// The project with the members it carries, its lock, and the names of what is carried.
    func carried() -> (project: AuthoredProject, lock: LockFile, notes: [Diagnostic]) {
        var project = converter.project
        var notes: [Diagnostic] = []
        // Ids that several parts share have no lock.
        guard canBeRead(converter.lock) else { return carriedAsAWhole() }
        guard let first = compiled(project), let second = compiled(carrying(first, &project, &notes)) else {
            return carriedAsAWhole()
        }
        let differing = differingMembers(of: second)
        for key in differing { project.verbatim[key] = original[key] ?? .null }
        if !differing.isEmpty { notes.append(Self.note("the datafile", differing)) }
        guard compiled(project).map({ differingMembers(of: $0).isEmpty }) == true, canBeRead(project)
        else { return carriedAsAWhole() }
        return (project, converter.lock, notes)
    }

    /// Whether the text of the lock reads back.
    private func canBeRead(_ lock: LockFile) -> Bool {
        do throws(Diagnostics) {
            var read = try LockFile(text: lock.text)
            guard read.sharedIDs.allSatisfy({ $0.first.mayShareID(with: $0.second) }) else { return false }
            read.sharedIDs = []
            return read == lock
        } catch { return false }
    }

    /// Whether the text of the project reads back.
    private func canBeRead(_ project: AuthoredProject) -> Bool {
        do throws(Diagnostics) {
            _ = try AuthoredProject.read(json: ProjectWriter.node(of: project).json)
            return true
        } catch { return false }
    }

    /// Adds the members that differ to the parts of the project.
    private func carrying(
        _ compiled: CanonicalDatafile, _ project: inout AuthoredProject, _ notes: inout [Diagnostic]
    ) -> AuthoredProject {
        for entity in converter.entities {
            let list = entity.list == "audiences" ? "typedAudiences" : entity.list
            guard let expected = canonical[entity.list, entity.id], let found = compiled[list, entity.id] else {
                continue
            }
            let differing = Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }.sorted()
            guard !differing.isEmpty else { continue }
            for key in differing { project[keyPath: entity.verbatim][key] = entity.original[key] ?? .null }
            if differing.contains("audienceConditions") {
                project[keyPath: entity.verbatim]["audienceIds"] = entity.original["audienceIds"]
            }
            notes.append(Self.note(entity.name, differing))
        }
        return project
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
    private func carriedAsAWhole() -> (project: AuthoredProject, lock: LockFile, notes: [Diagnostic]) {
        var project = AuthoredProject(key: converter.project.key)
        project.settings = converter.project.settings
        project.environments = converter.project.environments
        if case .object(let members) = original {
            project.verbatim = members.filter { !["revision", "environmentKey"].contains($0.key) }
        }
        let note = Diagnostic(
            .note, "carried-verbatim",
            "the datafile is kept as a whole, because parts of it contradict each other or share an id")
        var lock = LockFile()
        lock.projectKey = project.key
        lock.ids[EntityPath(.project)] = converter.lock.ids[EntityPath(.project)]
        lock.revisions = converter.lock.revisions
        return (project, lock, [note])
    }

    private func compiled(_ project: AuthoredProject) -> CanonicalDatafile? {
        let compiled = ProjectCompiler(project, lock: converter.lock).compile()
        guard let bytes = compiled.datafiles.first?.bytes else { return nil }
        do throws(JSONError) { return CanonicalDatafile(try JSONValue(parsing: bytes)) } catch { return nil }
    }

    private static func note(_ name: String, _ members: [String]) -> Diagnostic {
        Diagnostic(.note, "carried-verbatim", "\(name): \(members.joined(separator: ", ")) kept as in the datafile")
    }
}

/// An entity of the datafile that the project has a part for, and where the part keeps members verbatim.
struct ImportedEntity {
    /// The list of the datafile: `experiments`, `featureFlags` and so on; `rules` for those of rollouts, and
    /// `lastRules` for those for everyone else.
    let list: String
    /// The id in the list. For `lastRules`, that of the rollout.
    let id: String
    /// The entity in the datafile.
    let original: JSONValue
    /// The name for notes: `experiment checkout_ab`.
    let name: String
    /// The part's members that are written as they are.
    let verbatim: WritableKeyPath<AuthoredProject, [String: JSONValue]>
}
