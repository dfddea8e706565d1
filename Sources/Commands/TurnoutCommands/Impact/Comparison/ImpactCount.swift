package import TurnoutEngine

/// Counts the users of each pair of outcomes, for each flag.
package struct ImpactCount: Sendable {
    private let projects: ProjectPair
    private let exampleLimit: Int
    package private(set) var users = 0
    private(set) var flags: [OutcomePairs]
    /// The users with the most telling changes: at least one has another variation, or crosses.
    private(set) var examples: ExampleUsers
    /// The users with a change of each kind, in the order of ``ChangeKinds/named``.
    private var usersByKind = Array(repeating: 0, count: ChangeKinds.named.count)
    private(set) var movedUsers = 0
    private(set) var unknownNames: UnknownNames

    private var buffers = OutcomeBuffers()
    private var changes: [(flag: Int, pair: OutcomePair)] = []
    private var changedIndices: [Int] = []

    /// - Parameters:
    ///   - projects: The projects to compare.
    ///   - exampleLimit: The number of users to keep as examples of each change.
    package init(_ projects: ProjectPair, exampleLimit: Int) {
        self.projects = projects
        self.exampleLimit = exampleLimit
        flags = Array(repeating: OutcomePairs(), count: projects.flagKeys.count)
        examples = ExampleUsers(limit: exampleLimit)
        unknownNames = UnknownNames(in: [projects.old, projects.new])
    }

    /// Decides all flags for a user with both projects, and counts the pairs of outcomes.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - profile: The user's stored assignments.
    ///   - place: The place of the user in the order of all users.
    package mutating func add(_ user: User, profile: UserProfile, place: Int) {
        users += 1
        unknownNames.add(user)
        changes.removeAll(keepingCapacity: true)
        changedIndices.removeAll(keepingCapacity: true)
        var (kinds, rank) = (ChangeKinds(), 0)
        // Taken out, because the function below changes other members of this value.
        var buffers = OutcomeBuffers()
        swap(&buffers, &self.buffers)
        projects.decide(user, profile, using: &buffers) { flag, pair in
            let index = flags[flag].index(of: pair) ?? add(pair, ofFlag: flag)
            flags[flag].users[index] += 1
            guard !flags[flag].kinds[index].isEmpty else { return }
            kinds.formUnion(flags[flag].kinds[index])
            rank = max(rank, flags[flag].ranks[index])
            changes.append((flag, pair))
            changedIndices.append(index)
        }
        swap(&buffers, &self.buffers)
        if !kinds.isEmpty { addChanged(user, kinds, rank: rank, place: place) }
    }

    private mutating func add(_ pair: OutcomePair, ofFlag flag: Int) -> Int {
        flags[flag].add(pair, projects.change(pair, ofFlag: flag), exampleLimit: exampleLimit)
    }

    private mutating func addChanged(_ user: User, _ kinds: ChangeKinds, rank: Int, place: Int) {
        for (number, named) in ChangeKinds.named.enumerated() where kinds.contains(named.kind) {
            usersByKind[number] += 1
        }
        if !kinds.isDisjoint(with: .moved) { movedUsers += 1 }
        if rank > 0 { examples.add(user.id, rank: rank, place: place, changes) }
        for (change, index) in zip(changes, changedIndices) {
            // All of them have this change, so that the number of changes decides.
            flags[change.flag].examples[index].add(user.id, rank: 0, place: place, changes)
        }
    }

    /// The number of users with a change of a kind.
    package func users(_ kind: ChangeKinds) -> Int {
        zip(ChangeKinds.named, usersByKind).first { $0.0.kind == kind }?.1 ?? 0
    }

    /// Adds the counts of other users.
    package mutating func add(_ other: ImpactCount) {
        users += other.users
        unknownNames.add(other.unknownNames)
        movedUsers += other.movedUsers
        for number in usersByKind.indices { usersByKind[number] += other.usersByKind[number] }
        examples.add(contentsOf: other.examples)
        for flag in flags.indices {
            let theirs = other.flags[flag]
            for (number, pair) in theirs.pairs.enumerated() {
                let index = flags[flag].index(of: pair) ?? add(pair, ofFlag: flag)
                flags[flag].users[index] += theirs.users[number]
                flags[flag].examples[index].add(contentsOf: theirs.examples[number])
            }
        }
    }
}
