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
    /// The designs of experiments, by the id of the rule.
    var designs: [String: ExperimentDesign] = [:]
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
            bytes: DatafileText.bytes(datafile(lists, revision: revision)), designs: designs)
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
            (1...4).map { Bucketing.hash(bytes, seed: $0).hexadecimal(width: 8) }.joined()
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

/// The layout of datafiles: one member per line, and in lists one entity per line, each in compact JSON.
///
/// A change of an entity is one changed line in git, and the file is hardly larger than without line breaks; clients
/// download it as it is.
enum DatafileText {
    static func bytes(_ datafile: Node) -> [UInt8] {
        var writer = JSONWriter()
        writer.append("{\n")
        for (index, member) in datafile.members.enumerated() {
            writer.append(index == 0 ? "  " : ",\n  ")
            writer.appendQuoted(member.key.text)
            writer.append(": ")
            write(member.value, onLinesIndentedBy: "    ", to: &writer)
        }
        writer.append("\n}\n")
        return writer.bytes
    }

    /// Writes the entities of a list on lines of their own, and inside them those of `experiments`.
    private static func write(_ node: Node, onLinesIndentedBy indentation: String, to writer: inout JSONWriter) {
        guard case .sequence(let entities) = node.content, !entities.isEmpty else { return write(node, to: &writer) }
        for (index, entity) in entities.enumerated() {
            writer.append((index == 0 ? "[\n" : ",\n") + indentation)
            guard case .mapping(let members) = entity.content else {
                write(entity, to: &writer)
                continue
            }
            for (index, member) in members.enumerated() {
                writer.append(index == 0 ? "{" : ",")
                writer.appendQuoted(member.key.text)
                writer.append(":")
                if member.key.text == "experiments" {
                    write(member.value, onLinesIndentedBy: indentation + "  ", to: &writer)
                } else {
                    write(member.value, to: &writer)
                }
            }
            writer.append(members.isEmpty ? "{}" : "}")
        }
        writer.append("\n" + indentation.dropLast(2) + "]")
    }

    private static func write(_ node: Node, to writer: inout JSONWriter) {
        var compact = JSONWriter()
        compact.node(node)
        writer.append(compact.text)
    }
}

extension JSONWriter {
    /// Writes a node without white space. Keys keep their order.
    fileprivate mutating func node(_ node: Node) {
        switch node.content {
        case .scalar(let text, isQuoted: true): string(text)
        case .scalar: value(node.jsonValue)
        case .sequence(let elements):
            beginArray()
            for element in elements { self.node(element) }
            endArray()
        case .mapping(let members):
            beginObject()
            for member in members {
                key(member.key.text)
                self.node(member.value)
            }
            endObject()
        }
    }
}

// MARK: Building datafiles

extension Node {
    static func string(_ text: String) -> Node { Node(.scalar(text, isQuoted: true)) }

    static func strings(_ texts: [String]) -> Node { .list(texts.map(Node.string)) }

    static func list(_ elements: [Node]) -> Node { Node(.sequence(elements)) }

    static func integer(_ number: Int) -> Node { Node(.scalar(String(number), isQuoted: false)) }

    static func bool(_ value: Bool) -> Node { Node(.scalar(value ? "true" : "false", isQuoted: false)) }

    /// An object with its members in this order; those without a value are left out. Members of `verbatim` take the
    /// place of those with the same key, or follow in the order of their bytes; null leaves a member out, because some
    /// clients cannot read it in place of a list.
    static func object(
        _ members: KeyValuePairs<String, Node?>, verbatim: [String: JSONValue] = [:]
    ) -> Node {
        var all = members.compactMap { key, value in value.map { Member(Key(key), $0) } }
        let overlay = verbatim.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in overlay {
            let index = all.firstIndex { $0.key.text == key }
            switch (index, value) {
            case (let index?, .null): all.remove(at: index)
            case (let index?, _): all[index].value = Node(value)
            case (nil, .null): break
            case (nil, _): all.append(Member(Key(key), Node(value)))
            }
        }
        return Node(.mapping(all))
    }
}
