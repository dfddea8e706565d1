import TurnoutEngine

/// Reads the nodes of a project file as an ``AuthoredProject``.
///
/// All problems are found in one pass: after each one, reading continues with the rest of the file. A key that is
/// almost one of the expected keys is reported, then read as that key, so that its value is checked as well.
package struct ProjectReader {
    let source: SourceFile
    var problems: [(offset: Int, diagnostic: Diagnostic)] = []
    /// The hashes of all problems, because what an anchor names is read once for each of its aliases.
    private var reported: Set<Int> = []
    /// How many problems are not listed.
    private var unlistedCount = 0
    var attributes = KnownKeys("attribute", problem: .unknownAttribute)
    var events = KnownKeys("event", problem: .unknownEvent)
    var audiences = KnownKeys("audience", problem: .unknownAudience)
    var environments = KnownKeys("environment", problem: .unknownEnvironment)
    /// Whether all rules could be read, so that references to others are wrong.
    var knowsAllRules = true

    /// Reads a project.
    ///
    /// - Parameters:
    ///   - root: The nodes of the file.
    ///   - source: The file.
    ///   - lock: The lock beside it. If the file has problems, those that the compiler finds with this lock are added,
    ///     as far as they are certain although parts of the file could not be read.
    /// - Returns: The project.
    /// - Throws: All problems of the file, in the order of their places.
    /// - Complexity: O(n) in the size of the file, times the number of environments.
    package static func read(
        _ root: Node, in source: SourceFile, lock: LockFile = LockFile()
    ) throws(Diagnostics) -> AuthoredProject {
        var reader = ProjectReader(source: source)
        let project = reader.project(root)
        guard !reader.problems.isEmpty else { return project }
        let compiled = ProjectCompiler(project, lock: lock, source: source).compile().diagnostics.all
        let certain = compiled.filter { diagnostic in
            guard let problem = CompilingProblem(rawValue: diagnostic.code), problem.isCertainInPart else {
                return false
            }
            return problem != .otherProject || !project.key.isEmpty
        }
        throw Diagnostics(reader.diagnostics.all + certain).inOrder
    }

    private init(source: SourceFile) { self.source = source }

    private var diagnostics: Diagnostics {
        let ordered = problems.enumerated().sorted {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }
        let unlisted = unlistedCount == 0 ? [] : [Diagnostic.unlisted(unlistedCount, .error)]
        return Diagnostics(ordered.map(\.element.diagnostic) + unlisted)
    }

    /// Notes a problem at an offset of the file, unless it was noted before.
    mutating func report(_ problem: ReadingProblem, _ message: String, advice: String? = nil, at offset: Int) {
        var hasher = Hasher()
        hasher.combine(offset)
        hasher.combine(message)
        guard reported.insert(hasher.finalize()).inserted else { return }
        guard problems.count < Diagnostics.listedLimit else {
            unlistedCount += 1
            return
        }
        let position = source.position(of: offset)
        let diagnostic = Diagnostic(.error, problem.rawValue, message, advice: advice, at: position)
        problems.append((offset, diagnostic))
    }

    // MARK: The project

    private mutating func project(_ root: Node) -> AuthoredProject {
        var project = AuthoredProject(key: "")
        let file = KeyedEntry(key: "the file", keyRange: root.range, node: root)
        guard let members = members(of: file, .project) else { return project }
        let key = required("project", in: members)
        project.key = string(key) ?? ""
        project.origin = key?.origin ?? SourceOrigin()
        collectNames(members)
        project.settings = settings(members)
        project.environments = keyed(required("environments", in: members)) { $0.environment($1) }
        if let entry = members["environments"], entry.node.isNothing || entry.node.isEmptyMapping {
            report(.missingKey, "the project needs an environment", at: entry.keyRange.lowerBound)
        }
        project.attributes = keyed(members["attributes"]) { $0.attribute($1) }
        project.events = keyed(members["events"]) { $0.event($1) }
        project.audiences = keyed(members["audiences"]) { $0.audience($1) }
        project.flags = keyed(members["flags"]) { $0.flag($1) }
        project.experiments = keyed(members["experiments"]) { $0.experimentWithoutFlag($1) }
        let rules = RuleIndex(project, isComplete: knowsAllRules)
        project.groups = keyed(members["groups"]) { $0.group($1, rules) }
        project.holdouts = keyed(members["holdouts"]) { $0.holdout($1, rules) }
        project.configurations = keyed(members["configurations"]) { $0.configuration($1) }
        project.ignoredFindings = ignoredFindings(members["ignore"])
        project.verbatim = verbatim(members["datafile"])
        check(project)
        return project
    }

    /// Collects the keys that references may name before anything that refers to them is read.
    private mutating func collectNames(_ members: Members) {
        attributes.collect(members["attributes"])
        events.collect(members["events"])
        audiences.collect(members["audiences"])
        environments.collect(members["environments"])
        if members["environments"] == nil { environments.isComplete = false }
    }

    private mutating func settings(_ project: Members) -> ProjectSettings {
        var settings = ProjectSettings()
        if let account = string(project["account"]) { settings.account = account }
        if let entry = project["settings"], let members = members(of: entry, .settings) {
            settings.region = word(members["region"], [("US", Project.Region.us), ("EU", .eu)])
            if let value = boolean(members["anonymize_ip"]) { settings.anonymizesIP = value }
            settings.filtersBots = boolean(members["filter_bots"])
            if let value = boolean(members["send_flag_decisions"]) { settings.sendsFlagDecisions = value }
        }
        settings.segments = project["segments"].flatMap { segments($0) }
        return settings
    }

    private mutating func environment(_ entry: KeyedEntry) -> AuthoredEnvironment? {
        guard let members = members(of: entry, .environment, orNothing: true) else { return nil }
        if let single = members["sdk_key"], members["sdk_keys"] != nil {
            report(
                .conflictingKeys, "\"sdk_key\" and \"sdk_keys\" exclude each other in an environment",
                at: single.keyRange.lowerBound)
        }
        let keys = strings(members["sdk_keys"]) ?? string(members["sdk_key"]).map { [$0] } ?? []
        var environment = AuthoredEnvironment(key: entry.key, sdkKeys: keys, origin: entry.origin)
        environment.formerKey = string(members["was"])
        return environment
    }

    private mutating func attribute(_ entry: KeyedEntry) -> AuthoredAttribute? {
        guard let members = members(of: entry, .attribute, orNothing: true) else { return nil }
        var attribute = AuthoredAttribute(key: entry.key, formerKey: string(members["was"]), origin: entry.origin)
        attribute.ignoredFindings = ignoredFindings(members["ignore"])
        attribute.verbatim = verbatim(members["datafile"])
        return attribute
    }

    private mutating func event(_ entry: KeyedEntry) -> AuthoredEvent? {
        guard let members = members(of: entry, .event, orNothing: true) else { return nil }
        var event = AuthoredEvent(key: entry.key, formerKey: string(members["was"]), origin: entry.origin)
        event.ignoredFindings = ignoredFindings(members["ignore"])
        event.verbatim = verbatim(members["datafile"])
        return event
    }
}

extension AuthoredProject {
    /// Reads a project file in JSON.
    ///
    /// - Throws: The first error in the syntax, or all problems of the project.
    package static func read(json text: String, name: String = "flags.json") throws(Diagnostics) -> AuthoredProject {
        let source = SourceFile(name: name, bytes: Array(text.utf8))
        let root: Node
        do throws(Diagnostic) { root = try Node(json: source) } catch { throw Diagnostics([error]) }
        return try ProjectReader.read(root, in: source)
    }
}
