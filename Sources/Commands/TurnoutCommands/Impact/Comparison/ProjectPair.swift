package import TurnoutEngine

/// Two projects whose decisions are compared, and the flags to compare.
package struct ProjectPair: Sendable {
    package let old: Project
    package let new: Project
    /// The keys of the flags: those of the old project in its order, then those that only the new one has.
    package let flagKeys: [String]
    /// The same keys in the order in which the new project decides, since assignments for one flag apply to those that
    /// follow.
    private let newKeys: [String]
    private let oldRows: [Int?]
    private let newRows: [Int?]
    /// The place of each flag in ``newRows``.
    private let newPlaces: [Int]
    /// The rules that differ and are not compared: experiments without a flag, and bandits, because their variations
    /// come from predictions. If only some flags are compared, those of these flags.
    package let notCompared: [String]

    /// Compares all flags, or only some of them.
    package init(_ old: Project, _ new: Project, flagKeys named: [String] = []) {
        self.old = old
        self.new = new
        func isNew(_ key: String) -> Bool { old.flagRow(key) == nil }
        let newKeys = named.isEmpty ? Self.keys(of: new) : Self.distinct(named)
        flagKeys = named.isEmpty ? Self.keys(of: old) + newKeys.filter(isNew) : newKeys
        oldRows = flagKeys.map { old.flagRow($0) }
        let ordered = named.isEmpty ? newKeys + flagKeys.filter { new.flagRow($0) == nil } : newKeys
        self.newKeys = ordered
        newRows = ordered.map { new.flagRow($0) }
        let places = Dictionary(zip(ordered, ordered.indices)) { first, _ in first }
        newPlaces = flagKeys.map { places[$0] ?? 0 }
        notCompared = Self.differingRules(old, new, ofFlags: named)
    }

    private init(_ pair: ProjectPair, replica: Int) {
        old = pair.old.replica(replica)
        new = pair.new.replica(replica)
        (flagKeys, newKeys) = (pair.flagKeys, pair.newKeys)
        (oldRows, newRows, newPlaces, notCompared) = (pair.oldRows, pair.newRows, pair.newPlaces, pair.notCompared)
    }

    /// The keys of a project's flags without duplicates.
    private static func keys(of project: Project) -> [String] { distinct(project.flags.map(\.key)) }

    private static func distinct(_ keys: [String]) -> [String] {
        var seen: Set<String> = []
        return keys.filter { seen.insert($0).inserted }
    }

    /// The same pair for one of several threads, which then do not count references to the same objects.
    package func replica(_ number: Int) -> ProjectPair { ProjectPair(self, replica: number % Project.replicaCount) }

    /// The flags that only the new project has.
    package var addedFlags: [String] { flagKeys.filter { old.flagRow($0) == nil } }
    /// The flags that only the old project has.
    package var removedFlags: [String] { flagKeys.filter { new.flagRow($0) == nil } }

    /// Decides all flags for a user with both projects, and calls a function for each flag with its number.
    @inline(__always)
    func decide(
        _ user: User, _ profile: UserProfile, using buffers: inout OutcomeBuffers,
        _ body: (_ flag: Int, OutcomePair) -> Void
    ) {
        old.decideOutcomes(ofFlags: oldRows, for: user, profile: profile, into: &buffers.old)
        new.decideOutcomes(ofFlags: newRows, for: user, profile: profile, into: &buffers.new)
        for flag in oldRows.indices {
            body(flag, OutcomePair(old: buffers.old[flag], new: buffers.new[newPlaces[flag]]))
        }
    }

    /// The differences between two outcomes of a flag.
    func change(_ pair: OutcomePair, ofFlag flag: Int) -> FlagChange {
        let key = flagKeys[flag]
        return FlagChange(
            from: old.decision(pair.old, flagKey: key), to: new.decision(pair.new, flagKey: key))
    }
}

extension ProjectPair {
    /// The experiments without a flag and the bandits of which the definitions differ; with keys, the bandits of these
    /// flags.
    private static func differingRules(_ old: Project, _ new: Project, ofFlags keys: [String]) -> [String] {
        let (before, after) = (definitions(in: old, ofFlags: keys), definitions(in: new, ofFlags: keys))
        return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    }

    private static func definitions(in project: Project, ofFlags keys: [String]) -> [String: String] {
        let ofFlags = Set(project.flags.flatMap(\.experimentIDs))
        let named = Set(project.flags.filter { keys.contains($0.key) }.flatMap(\.experimentIDs))
        let audiences = Dictionary(project.audiences.map { ($0.id, "\($0.condition)") }) { first, _ in first }
        var definitions: [String: String] = [:]
        for rule in project.experiments where keys.isEmpty || named.contains(rule.id) {
            let name = ofFlags.contains(rule.id) ? "bandit" : "experiment without a flag"
            guard !ofFlags.contains(rule.id) || rule.contextualBanditTraffic != nil else { continue }
            let parts: [Any?] = [
                rule.id, rule.status, rule.type, rule.contextualBanditTraffic, rule.traffic.map { "\($0)" },
                rule.whitelist.map { "\($0)" }.sorted(), rule.variations.map { $0.id + " " + $0.key }.sorted(),
                rule.audience, rule.audience.audienceIDs.map { audiences[$0] }, rule.group?.traffic,
            ]
            definitions["\(name) \(rule.key)"] = "\(parts)"
        }
        return definitions
    }

    /// How both projects decide the flags for a user, in the order of ``flagKeys``.
    func traces(for user: User, profile: UserProfile) -> [(old: DecisionTrace, new: DecisionTrace)] {
        let oldTraces = Self.traces(of: flagKeys, by: old, for: user, profile)
        let newTraces = Self.traces(of: newKeys, by: new, for: user, profile)
        return flagKeys.indices.map { (oldTraces[$0], newTraces[newPlaces[$0]]) }
    }

    private static func traces(
        of keys: [String], by project: Project, for user: User, _ profile: UserProfile
    ) -> [DecisionTrace] {
        var profile = profile
        return keys.map { key in
            let trace = project.explain(key, for: user, profile: profile)
            if let assignment = trace.decision.assignment {
                profile.assignments[assignment.experimentID] = assignment.variationID
            }
            return trace
        }
    }
}

/// A user's outcomes for a flag, by both projects.
struct OutcomePair: Sendable, Equatable {
    let old: Decision.OutcomeID
    let new: Decision.OutcomeID
}

/// Memory for one user's outcomes, used again for the next user.
struct OutcomeBuffers: Sendable {
    var old: [Decision.OutcomeID] = []
    var new: [Decision.OutcomeID] = []
}

extension AudienceCondition {
    /// The ids of the audiences that it names.
    fileprivate var audienceIDs: [String] {
        switch self {
        case .all(let operands), .any(let operands), .not(let operands): operands.flatMap(\.audienceIDs)
        case .audience(let id, _): [id]
        case .everyone, .attribute, .never: []
        }
    }
}
