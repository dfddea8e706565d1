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
    var metricNames = KnownKeys("metric", problem: .unknownMetric)
    /// The metrics that could be read, by name.
    private(set) var metrics: [String: ExperimentMetric] = [:]
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
        project.attributes = keyed(members["attributes"]) { $0.name($1, of: .attribute) }
        project.events = keyed(members["events"]) { $0.name($1, of: .event) }
        project.metrics = keyed(members["metrics"]) { $0.namedMetric($1) }
        for part in project.metrics { metrics[part.key] = part.metric }
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
        metricNames.collect(members["metrics"])
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

    /// An attribute or event, which has only the members that parts of most kinds can have.
    private mutating func name(_ entry: KeyedEntry, of kind: ProjectPart) -> AuthoredName? {
        guard let members = members(of: entry, kind, orNothing: true) else { return nil }
        var name = AuthoredName(key: entry.key, origin: entry.origin)
        readCommonMembers(members, of: &name)
        return name
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

extension ProjectReader {
    /// The service for segments, and the segments that the project defines.
    mutating func segments(_ entry: KeyedEntry) -> SegmentService? {
        guard let members = members(of: entry, .segments) else { return nil }
        var service = SegmentService(host: string(members["host"]), publicKey: string(members["public_key"]))
        service.defined = keyed(members["define"]) { $0.segment($1) }
        return service
    }

    private mutating func segment(_ entry: KeyedEntry) -> AuthoredSegment? {
        guard let members = members(of: entry, .segment) else { return nil }
        return AuthoredSegment(
            key: entry.key, members: strings(members["members"]) ?? [],
            rule: members["rule"].flatMap { segmentRule($0) })
    }

    private mutating func segmentRule(_ entry: KeyedEntry) -> SegmentRule? {
        guard let members = members(of: entry, .segmentRule),
            let event = required("event", in: members), let key = string(event)
        else { return nil }
        // Events of the data platform, such as `shop/added_to_cart`, are not among the project's.
        if !key.contains("/") { _ = check(key, in: events, at: event.offset) }
        return SegmentRule(
            event: key, days: count(members["days"]), times: count(members["times"]) ?? 1,
            revenue: count(members["revenue"]))
    }

    /// A whole number of at least 1.
    mutating func count(_ entry: KeyedEntry?) -> Int? {
        guard let entry else { return nil }
        if let number = Self.count((entry.node.text ?? "")[...]) { return number }
        reportType("a whole number of at least 1", entry)
        return nil
    }

    static func count(_ text: Substring) -> Int? {
        guard text.utf8.count <= 15, let number = Int(text), number >= 1 else { return nil }
        return number
    }

    mutating func configuration(_ entry: KeyedEntry) -> AuthoredConfiguration? {
        guard let members = members(of: entry, .configuration), check(named: entry) else { return nil }
        let experiments = keyed(required("experiments", in: members)) { $0.configuredExperiment($1) }
        var configuration = AuthoredConfiguration(key: entry.key, experiments: experiments)
        configuration.versions = keyed(members["versions"]) { reader, version in
            guard reader.check(named: version) else { return nil }
            return AuthoredConfiguration.Version(
                key: version.key, experiments: reader.keyed(version) { $0.configuredExperiment($1) })
        }
        return configuration
    }

    private mutating func configuredExperiment(_ entry: KeyedEntry) -> AuthoredConfiguration.Experiment? {
        guard let members = members(of: entry, .configuredExperiment),
            let variants = required("variants", in: members), check(entry.key, at: entry.keyRange.lowerBound)
        else { return nil }
        let weights = keyed(variants) { reader, variant in
            reader.check(variant.key, at: variant.keyRange.lowerBound)
                ? reader.weight(variant).map { (key: variant.key, weight: $0) } : nil
        }
        var experiment = AuthoredConfiguration.Experiment(key: entry.key, variants: weights)
        experiment.isSticky = boolean(members["sticky"]) ?? false
        experiment.countries = codes(members["countries"])
        experiment.languages = codes(members["languages"])
        return experiment
    }

    private mutating func codes(_ entry: KeyedEntry?) -> [String] {
        guard let entry else { return [] }
        return (strings(entry) ?? []).filter { check($0, at: entry.offset) }
    }

    /// Whether a text can be in a property list, whose XML has no form for control characters; otherwise it is
    /// reported.
    private mutating func check(_ text: String, at offset: Int) -> Bool {
        let isWritable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
        if isWritable { return true }
        report(
            .wrongType, "\(quoted(text)) has a control character, which a configuration cannot contain",
            advice: "leave the character out", at: offset)
        return false
    }

    /// Whether a key can be a part of an address; otherwise it is reported.
    private mutating func check(named entry: KeyedEntry) -> Bool {
        guard !AuthoredConfiguration.isValid(entry.key) else { return true }
        report(
            .wrongType, "\(quoted(entry.key)) cannot be the name or the version of a configuration",
            advice: "use up to 100 letters, digits, \".\", \"_\" and \"-\"; the first is not a \".\"",
            at: entry.keyRange.lowerBound)
        return false
    }
}
