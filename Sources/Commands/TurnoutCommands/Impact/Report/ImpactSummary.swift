import TurnoutEngine

/// The result of a comparison, as reports show it.
package struct ImpactSummary: Sendable {
    /// A datafile that was compared.
    package struct Datafile: Sendable {
        let name: String
        let revision: String
    }

    /// The differences of one flag.
    package struct FlagImpact: Sendable {
        package let key: String
        /// The users that see something else.
        package let movedUsers: Int
        /// The users by variation before and after, including those whose decision is the same. Most users first.
        package let cells: [Cell]
        /// The users by kind of change. Most users first.
        package let changes: [Change]
    }

    /// A cell of a flag's matrix.
    package struct Cell: Sendable {
        package let old: VariationState
        package let new: VariationState
        package let users: Int
    }

    /// The users with the same change.
    package struct Change: Sendable {
        package let change: FlagChange
        package let users: Int
        package let examples: [String]
    }

    /// A user with telling changes.
    package struct Example: Sendable {
        package let userID: String
        package let changes: [(flagKey: String, change: FlagChange)]
        /// The changes without those that leave the variation as it is.
        package var tellingChanges: [(flagKey: String, change: FlagChange)] { changes.filter { $0.change.rank > 0 } }
    }

    package let old: Datafile
    package let new: Datafile
    /// How the users were found.
    package let source: String
    package let users: Int
    package let movedUsers: Int
    /// Whether the users represent a larger population.
    package let isSample: Bool
    package let addedFlags: [String]
    package let removedFlags: [String]
    /// The rules that differ and are not compared.
    package let notCompared: [String]
    /// The flags whose decisions differ, in the order of the datafiles.
    package let flags: [FlagImpact]
    package let examples: [Example]
    private let count: ImpactCount

    /// The number of users with a change of a kind.
    package func users(_ kind: ChangeKinds) -> Int { count.users(kind) }

    /// The interval of a share of users, or nil if the users are the whole population.
    func interval(_ users: Int) -> ClosedRange<Double>? {
        isSample ? WilsonInterval(users, of: self.users).range : nil
    }

    /// All changes of a kind, with the keys of their flags.
    func changes(_ kind: ChangeKinds) -> [(flagKey: String, change: Change)] {
        flags.flatMap { flag in flag.changes.filter { $0.change.kinds.contains(kind) }.map { (flag.key, $0) } }
    }
}

/// A variation with its state: on, off, or none at all.
package struct VariationState: Sendable, Hashable {
    /// The key of the variation, or nil for none.
    package let variation: String?
    package let isEnabled: Bool

    init(_ state: FlagState) { (variation, isEnabled) = (state.variation, state.isEnabled) }
}

// MARK: Summing up

extension ImpactSummary {
    package init(
        _ count: ImpactCount, of projects: ProjectPair, names: (old: String, new: String), source: String,
        isSample: Bool
    ) {
        old = Datafile(name: names.old, revision: projects.old.revision)
        new = Datafile(name: names.new, revision: projects.new.revision)
        (self.count, self.source, self.isSample) = (count, source, isSample)
        (users, movedUsers) = (count.users, count.movedUsers)
        (addedFlags, removedFlags) = (projects.addedFlags, projects.removedFlags)
        notCompared = projects.notCompared
        flags = zip(projects.flagKeys, count.flags).compactMap { FlagImpact(key: $0, $1) }
        examples = count.examples.examples.map { example in
            let changes = example.changes.map { flag, pair in
                (projects.flagKeys[flag], projects.change(pair, ofFlag: flag))
            }
            return Example(userID: example.userID, changes: changes)
        }
    }
}

extension ImpactSummary.FlagImpact {
    /// Sums up the pairs of a flag; nil if nothing differs.
    fileprivate init?(key: String, _ pairs: OutcomePairs) {
        guard pairs.kinds.contains(where: { !$0.isEmpty }) else { return nil }
        self.key = key
        // Pairs differ in details that reports do not show, such as the stage.
        var (changes, cells, examples) = ([FlagChange: Int](), [[VariationState]: Int](), [FlagChange: ExampleUsers]())
        var movedUsers = 0
        for (index, change) in pairs.changes.enumerated() {
            let users = pairs.users[index]
            cells[[VariationState(change.old), VariationState(change.new)], default: 0] += users
            guard !change.kinds.isEmpty else { continue }
            changes[change, default: 0] += users
            if !change.kinds.isDisjoint(with: .moved) { movedUsers += users }
            guard examples[change] != nil else {
                examples[change] = pairs.examples[index]
                continue
            }
            examples[change]?.add(contentsOf: pairs.examples[index])
        }
        self.movedUsers = movedUsers
        self.cells = cells.map { .init(old: $0[0], new: $0[1], users: $1) }
            .sorted { ($1.users, $0.sortKey) < ($0.users, $1.sortKey) }
        self.changes = changes.map { change, users in
            .init(change: change, users: users, examples: examples[change]?.examples.map(\.userID) ?? [])
        }
        .sorted { ($1.users, $0.sortKey) < ($0.users, $1.sortKey) }
    }
}

extension ImpactSummary.Cell {
    /// Makes the order of cells with as many users the same in each run.
    fileprivate var sortKey: String { "\(old.variation ?? "")\u{0}\(new.variation ?? "")\u{0}\(old.isEnabled)" }
}

extension ImpactSummary.Change {
    fileprivate var sortKey: String {
        let (old, new) = (change.old, change.new)
        return [old.variation, new.variation, old.ruleID, new.ruleID, old.variationID, new.variationID]
            .map { $0 ?? "" }.joined(separator: "\u{0}") + "\(change.kinds.rawValue)"
    }
}
