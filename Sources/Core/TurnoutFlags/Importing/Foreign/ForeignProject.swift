import TurnoutEngine

/// Collects the flags that are translated, and what has no translation.
struct ForeignProject {
    /// The project so far.
    private var project: AuthoredProject
    /// One note for each part that has no translation or works differently.
    private var differences: [Diagnostic] = []
    private let source: SourceFile
    private var keys: Set<String> = []
    /// The parts of namespaces that experiments have.
    var namespaces = ClaimedNamespaces()
    /// The subject of the next notes.
    private var place = "the file"
    private var isInRule = false
    /// The size of the conditions of a flag.
    private var flagSize = 0
    /// Each branch of a flag in flagd repeats the conditions around it.
    private static let flagSizeLimit = 30_000

    init(environment: String, in source: SourceFile) {
        self.source = source
        project = AuthoredProject(key: "imported")
        project.environments = [AuthoredEnvironment(key: environment)]
    }

    /// The notes, after a warning about users of percentages if there are any.
    var notes: [Diagnostic] {
        let rules = project.flags.map(\.rules)
        let dividesUsers =
            rules.contains { !$0.experiments.isEmpty || $0.deliveries.contains { $0.traffic != .all } }
        let warning = Diagnostic(
            .warning, "users-move",
            "users of percentages can get another variation than before, because the hash differs",
            advice: "finish running experiments before you switch, or expect their users to be assigned again")
        return (dividesUsers ? [warning] : []) + differences
    }

    /// The project, with the attributes that its rules test.
    var authored: AuthoredProject {
        var project = project
        var keys: [String] = []
        var known: Set<String> = []
        for flag in project.flags {
            let conditions = flag.rules.experiments.map(\.audience) + flag.rules.deliveries.map(\.audience)
            for condition in conditions { condition?.collectAttributes(&keys, &known) }
        }
        project.attributes = keys.map { AuthoredAttribute(key: $0) }
        return project
    }

    /// Adds what a reader makes of a member, unless it is nil or a flag with this key is there.
    mutating func add(_ member: Node.Member, _ read: (Node.Member, inout ForeignProject) -> ForeignFlag?) {
        let flag = member.key.text
        place = "flag \(quoted(flag))"
        isInRule = false
        flagSize = 0
        guard keys.insert(flag).inserted else {
            return reportUntranslatable("the file has another flag with this key, which is used", at: member.value)
        }
        guard let (flag, members) = read(member, &self)?.authored() else { return }
        project.flags.append(flag)
        for (key, member) in members {
            if let index = project.groups.firstIndex(where: { $0.key == key }) {
                project.groups[index].members.append(member)
            } else {
                project.groups.append(AuthoredGroup(key: key, members: [member]))
            }
        }
    }

    /// Notes are about this part of the flag until the next one begins.
    mutating func begin(_ part: String, of flag: Node.Member) {
        place = "flag \(quoted(flag.key.text)), \(part)"
        isInRule = true
    }

    /// Notes parts of a condition that have no translation; `place` is where they are, if not at their nodes.
    mutating func reportUntranslatable(_ parts: [UntranslatablePart], at place: Node? = nil) {
        for part in parts { reportUntranslatable(part.reason, at: place ?? part.node) }
    }

    /// Notes that a part of a rule, or the flag, has no translation.
    mutating func reportUntranslatable(_ reason: String, at node: Node) {
        reportUntranslatable(reason, at: node.range.lowerBound)
    }

    private mutating func reportUntranslatable(_ reason: String, at offset: Int) {
        let advice = isInRule ? "users to whom it may apply get the flag's default and skip later rules" : nil
        noteLoss(reason, advice: advice, at: offset)
    }

    private mutating func noteLoss(_ reason: String, advice: String? = nil, at offset: Int) {
        note(
            Diagnostic(
                .warning, "not-translated", "\(place): \(reason)", advice: advice, at: source.position(of: offset)))
    }

    // MARK: Parts that no variation depends on

    /// Notes that a part is left out, which changes no user's variation.
    mutating func reportIgnored(_ reason: String, at node: Node) {
        noteLoss("\(reason), and is left out", at: node.range.lowerBound)
    }

    /// Notes that a rule is left out because no user gets to it.
    mutating func omitUnreachableRule(at node: Node) {
        noteLoss("an earlier rule keeps all users from this one, which is left out", at: node.range.lowerBound)
    }

    /// Notes the members of a mapping whose keys are not among those that are translated.
    mutating func omitMembers(of node: Node?, except keys: Set<String>, path: String = "") {
        for member in node?.members ?? [] where !keys.contains(member.key.text) {
            noteLoss(
                "\(quoted(path + member.key.text)) has no equivalent, and is left out",
                at: member.key.range.lowerBound)
        }
    }

    /// Notes the parts of a mapping that the flags do not name, directly or through other parts. They are named by the
    /// values of some keys.
    mutating func omitUnused(_ key: String, of root: Node, in flags: [Node.Member], namedBy keys: Set<String>) {
        let parts = root[key]?.members ?? []
        guard !parts.isEmpty else { return }
        let known = Dictionary(parts.map { ($0.key.text, $0.value) }) { first, _ in first }
        var used: Set<String> = []
        var rest = flags.map(\.value)
        while let node = rest.popLast() {
            switch node.content {
            case .scalar: break
            case .sequence(let elements): rest += elements
            case .mapping(let members):
                for member in members {
                    if keys.contains(member.key.text), let name = member.value.text, used.insert(name).inserted,
                        let part = known[name]
                    {
                        rest.append(part)
                    }
                    rest.append(member.value)
                }
            }
        }
        for part in parts where !used.contains(part.key.text) {
            noteLoss(
                "no flag uses \(quoted(part.key.text)) of \(quoted(key)), which is left out",
                at: part.key.range.lowerBound)
        }
    }

    /// The elements of a list; a value of another type is noted.
    mutating func elements(of key: String, in node: Node) -> [Node] {
        guard let list = node[key] else { return [] }
        if !list.isSequence { reportIgnored("\(quoted(key)) is not a list", at: list) }
        return list.elements
    }

    /// The text of `description` in the metadata of a flag. All other metadata is noted.
    mutating func description(in node: Node) -> String? {
        guard let metadata = node["metadata"] else { return nil }
        let description = metadata["description"]?.text
        if !metadata.isMapping { reportIgnored("its metadata is not a mapping", at: metadata) }
        omitMembers(of: metadata, except: description == nil ? [] : ["description"], path: "metadata.")
        return description
    }

    /// Whether all keys of a rule are known. Other keys can change whom the rule applies to and what it serves, so it
    /// has no translation, which is noted.
    mutating func hasOnlyKnownMembers(of rule: Node, _ keys: Set<String>) -> Bool {
        let all = rule.members.filter { !keys.contains($0.key.text) }
        // A null says nothing that could change the rule.
        for member in all where member.value.isNothing {
            noteLoss("\(quoted(member.key.text)) is null, and is left out", at: member.key.range.lowerBound)
        }
        let unknown = all.filter { !$0.value.isNothing }
        for member in unknown {
            reportUntranslatable("\(quoted(member.key.text)) has no equivalent", at: member.key.range.lowerBound)
        }
        return unknown.isEmpty
    }

    // MARK: Other notes

    /// The condition, unless it is too large, alone or with the others of its flag.
    mutating func checked(_ condition: ForeignCondition, at node: Node) -> ForeignCondition {
        if let size = condition.size, flagSize + size <= Self.flagSizeLimit {
            flagSize += size
            return condition
        }
        reportUntranslatable("the condition is too large or too deep", at: node)
        return .untranslatable
    }

    /// Notes that a part works in another way than before.
    mutating func differ(_ difference: String, at node: Node) {
        note(
            Diagnostic(
                .warning, "works-differently", "\(place): \(difference)",
                at: source.position(of: node.range.lowerBound)))
    }

    /// Notes that groups take the place of namespaces.
    mutating func noteNamespaces() {
        for group in project.groups {
            note(
                Diagnostic(
                    .warning, "works-differently",
                    "namespace \(quoted(group.key)) becomes a group with the same shares; each experiment has as many "
                        + "users as before, but others, because the hash differs"))
        }
    }

    /// Adds a note.
    mutating func note(_ note: Diagnostic) { differences.append(note) }
}
