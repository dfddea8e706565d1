import TurnoutEngine

/// Compiles the datafile of one environment.
struct DatafileCompiler {
    let environment: AuthoredEnvironment
    /// The key of the environment in the lock, or nil if it is new.
    let lockedEnvironment: String?
    var compilation: Compilation
    let conditions: ConditionCompiler
    /// The audiences of rules and holdouts whose condition has no name.
    var ruleAudiences: [CompiledAudience] = []
    /// The experiments that are in the datafile, in their order.
    var experiments: [CompiledExperiment] = []
    /// The ids of the rules in the datafile.
    var ruleIDs: [RuleReference: String] = [:]
    /// The rules that the environment has, whether or not they are in the datafile.
    var knownRules: Set<RuleReference> = []
    /// The rules that have another name than in the lock, as the traffic of groups names them.
    var renamedRules: [String: String] = [:]
    /// The primary metrics of the experiments that have one, by the id of the rule.
    var metrics: [String: ExperimentMetric] = [:]
    var rollouts: [Node] = []

    init(_ environment: AuthoredEnvironment, _ compilation: Compilation) {
        self.environment = environment
        self.compilation = compilation
        lockedEnvironment = compilation.environmentKeys[environment.key]
        conditions = ConditionCompiler(compilation.project.audiences, ids: compilation.audienceIDs)
    }

    var project: AuthoredProject { compilation.project }

    mutating func compile() -> CompiledDatafile {
        let audiences = namedAudiences()
        let flags = compilation.flags.map { compile($0) }
        compileExperimentsWithoutFlag()
        let groups = compileGroups()
        let holdouts = compileHoldouts()
        let lists = EntityLists(
            audiences: audiences + ruleAudiences, flags: flags, groups: groups, global: holdouts.global,
            local: holdouts.local)
        let hash = Self.hash(DatafileText.bytes(datafile(lists, revision: "")))
        let number = compilation.lock.revision(environment.key, lockedAs: lockedEnvironment, contentHash: hash)
        let revision =
            compilation.isServed
            ? compilation.lock.servedRevision(environment.key, lockedAs: lockedEnvironment, contentHash: hash)
            : String(number)
        return CompiledDatafile(
            environment: environment.key, revision: number,
            bytes: DatafileText.bytes(datafile(lists, revision: revision)), metrics: metrics)
    }

    private struct EntityLists {
        let audiences: [CompiledAudience]
        let flags: [Node]
        let groups: [Node]
        let global: [Node]
        let local: [Node]
    }

    private func datafile(_ lists: EntityLists, revision: String) -> Node {
        let settings = project.settings
        return .object(
            [
                "version": .string("4"),
                "projectId": .string(compilation.projectID),
                "accountId": .string(settings.account),
                "revision": .string(revision),
                "sdkKey": environment.sdkKeys.first.map(Node.string),
                "environmentKey": .string(environment.key),
                "region": settings.region.map { .string($0.rawValue) },
                "anonymizeIP": .bool(settings.anonymizesIP),
                "botFiltering": settings.filtersBots.map(Node.bool),
                "sendFlagDecisions": .bool(settings.sendsFlagDecisions),
                "attributes": .list(attributes),
                "events": .list(events),
                "audiences": .list(lists.audiences.map(\.legacyNode)),
                "typedAudiences": .list(lists.audiences.map(\.node)),
                "featureFlags": .list(lists.flags),
                "experiments": .list(experiments.filter { !$0.isInGroup }.map(\.node)),
                "groups": .list(lists.groups),
                "rollouts": .list(rollouts),
                "holdouts": lists.global.isEmpty ? nil : .list(lists.global),
                "localHoldouts": lists.local.isEmpty ? nil : .list(lists.local),
                "integrations": settings.segments.map { .list([Self.integration($0)]) },
            ], verbatim: project.verbatim)
    }

    /// 128 bits in hexadecimal digits.
    private static func hash(_ bytes: [UInt8]) -> String {
        bytes.withBytes { bytes in
            (1...4).map { seed in
                let digits = String(Bucketing.hash(bytes, seed: UInt32(seed)), radix: 16)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }.joined()
        }
    }

    // MARK: Attributes, events, integrations

    private var attributes: [Node] {
        project.attributes.map {
            .object(
                ["id": .string(compilation.attributeIDs[$0.key] ?? ""), "key": .string($0.key)],
                verbatim: $0.verbatim)
        }
    }

    private var events: [Node] {
        project.events.map { event in
            .object(
                [
                    "id": .string(compilation.eventIDs[event.key] ?? ""),
                    "key": .string(event.key),
                    "experimentIds": .strings(experiments.filter { $0.events.contains(event.key) }.map(\.id)),
                ], verbatim: event.verbatim)
        }
    }

    private static func integration(_ service: SegmentService) -> Node {
        .object([
            "key": .string("odp"), "host": service.host.map(Node.string),
            "publicKey": service.publicKey.map(Node.string),
        ])
    }
}

/// An experiment in a datafile.
struct CompiledExperiment {
    let reference: RuleReference
    let id: String
    let node: Node
    /// The keys of the events that it measures.
    let events: Set<String>
    var isInGroup = false
}
