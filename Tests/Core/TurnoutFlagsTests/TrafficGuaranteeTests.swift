/// The guarantees of the page "The project file", counted by decisions of users with compiled datafiles.
@Suite("An edit of traffic moves as few users as possible")
struct TrafficGuaranteeTests {
    /// What an edit changes.
    enum Edit: String, CaseIterable { case raise, lower, split, both }

    /// In a thorough run, 25,000 users in ten random edits of each of the four kinds: a million in all.
    @Test(arguments: Edit.allCases)
    func movedUsersAreCounted(edit: Edit) throws {
        for seed in 0..<UInt64(rounds(2, thorough: 10)) {
            var random = SplitMix(state: seed)
            let traffic = Traffic.random(&random)
            let before = try Compiled(traffic)
            let after = try Compiled(traffic.edited(edit, &random), before.lock)
            try check(before, after, edit, "seed \(seed), \(traffic)")
        }
    }

    @Test func lowerTrafficThatIsRaisedAgainMovesNoUser() throws {
        for seed in 0..<UInt64(rounds(5, thorough: 40)) {
            var random = SplitMix(state: seed)
            let traffic = Traffic.random(&random)
            let before = try Compiled(traffic)
            let lowered = try Compiled(traffic.edited(.lower, &random), before.lock)
            #expect(try Compiled(traffic, lowered.lock).lock.allocations == before.lock.allocations, "seed \(seed)")
        }
    }

    /// An arm that grows has paused buckets left, but gets those that the other one gives up.
    @Test func aSplitEditAfterAPauseMovesOnlyTheDifference() throws {
        var traffic = Traffic(experiment: 8_000, weights: [50, 50, 0], delivery: 1, group: [1, 1], holdout: 1)
        var before = try Compiled(traffic)
        for buckets in [0, 2_000] {
            traffic.experiment = buckets
            before = try Compiled(traffic, before.lock)
        }
        traffic.weights = [80, 20, 0]
        let after = try Compiled(traffic, before.lock)
        let users = rounds(5_000, thorough: 50_000)
        var moved = 0
        for user in (0..<users).map({ User("user \($0)") }) {
            let (old, new) = (before.outcomes(of: user)[0], after.outcomes(of: user)[0])
            #expect(old.isEmpty == new.isEmpty)
            if old != new { moved += 1 }
        }
        #expect(isShare(moved, of: users, 600))
    }

    /// Pauses some of the parts by traffic, after edits that leave their ranges in pieces.
    @Test func pausingByTrafficAndResumingGivesEveryUserWhatTheyHad() throws {
        for seed in 0..<UInt64(rounds(5, thorough: 40)) {
            var random = SplitMix(state: seed)
            let first = Traffic.random(&random)
            let traffic = first.edited(.both, &random)
            let before = try Compiled(traffic, try Compiled(first).lock)
            let paused = try Compiled(traffic.paused(&random), before.lock)
            let again = try Compiled(traffic.paused(&random), paused.lock)
            let after = try Compiled(traffic, again.lock)
            #expect(after.lock.allocations == before.lock.allocations, "seed \(seed), \(traffic)")
            for user in (0..<rounds(200, thorough: 2_000)).map({ User("user \($0)") }) {
                #expect(after.outcomes(of: user) == before.outcomes(of: user), "seed \(seed), \(traffic)")
            }
        }
    }

    private func check(_ before: Compiled, _ after: Compiled, _ edit: Edit, _ about: String) throws {
        let users = rounds(500, thorough: 25_000)
        var moved = [0, 0, 0, 0]
        var entered = [0, 0, 0, 0]
        for number in 0..<users {
            let user = User("user \(number)")
            for (part, (old, new)) in zip(before.outcomes(of: user), after.outcomes(of: user)).enumerated() {
                if !old.isEmpty, old != new { moved[part] += 1 }
                if old.isEmpty, !new.isEmpty { entered[part] += 1 }
            }
        }
        for (part, path) in Compiled.paths.enumerated() {
            let old = before.lock.allocations[path]?.counts ?? [:]
            let new = after.lock.allocations[path]?.counts ?? [:]
            let least = old.reduce(0) { $0 + max(0, $1.value - (new[$1.key] ?? 0)) }
            let growth = max(0, new.values.reduce(0, +) - old.values.reduce(0, +))
            #expect(isShare(moved[part], of: users, least), "\(path.description), \(about): \(moved[part])")
            #expect(isShare(entered[part], of: users, growth), "\(path.description), \(about): \(entered[part])")
            if edit == .raise { #expect(moved[part] == 0, "\(path.description), \(about)") }
            if edit == .lower || edit == .split { #expect(entered[part] == 0, "\(path.description), \(about)") }
        }
    }

    /// Whether a count of users is that of a share of buckets, within five standard deviations.
    private func isShare(_ count: Int, of users: Int, _ buckets: Int) -> Bool {
        let share = Double(buckets) / Double(Bucketing.bucketCount)
        let deviation = (Double(users) * share * (1 - share)).squareRoot()
        return abs(Double(count) - Double(users) * share) <= 5 * deviation
    }
}

/// The traffic of an experiment, a delivery, a group of two experiments, and a holdout.
private struct Traffic {
    var experiment = 0
    var weights: [Int] = []
    var delivery = 0
    var group: [Int] = []
    var holdout = 0

    static func random(_ random: inout SplitMix) -> Traffic {
        Traffic(
            experiment: .random(in: 1...9_999, using: &random), weights: weights(&random),
            delivery: .random(in: 1...9_999, using: &random),
            group: (0..<2).map { _ in .random(in: 1...4_999, using: &random) },
            holdout: .random(in: 1...9_999, using: &random))
    }

    private static func weights(_ random: inout SplitMix) -> [Int] {
        (0..<3).map { _ in .random(in: 1...100, using: &random) }
    }

    func edited(_ edit: TrafficGuaranteeTests.Edit, _ random: inout SplitMix) -> Traffic {
        func changed(_ value: Int, _ limit: Int) -> Int {
            switch edit {
            case .raise: .random(in: value...limit, using: &random)
            case .lower: .random(in: 0...value, using: &random)
            case .split: value
            case .both: .random(in: 0...limit, using: &random)
            }
        }
        var traffic = Traffic(
            experiment: changed(experiment, 10_000), weights: weights, delivery: changed(delivery, 10_000),
            group: group.map { changed($0, 5_000) }, holdout: changed(holdout, 10_000))
        if edit == .split || edit == .both { traffic.weights = Self.weights(&random) }
        if edit == .split { traffic.group.reverse() }
        return traffic
    }
}

extension Traffic {
    /// The traffic, of which some is 0 %.
    fileprivate func paused(_ random: inout SplitMix) -> Traffic {
        var traffic = self
        if Bool.random(using: &random) { traffic.experiment = 0 }
        if Bool.random(using: &random) { traffic.delivery = 0 }
        if Bool.random(using: &random) { traffic.holdout = 0 }
        for index in group.indices where Bool.random(using: &random) { traffic.group[index] = 0 }
        return traffic
    }
}

/// A project with some traffic, compiled with the lock of the one before.
private final class Compiled {
    static let paths = [
        EntityPath(.rule, "production", "plain", "plain_test"), EntityPath(.rule, "production", "rolled", "rolled_out"),
        EntityPath(.group, "production", "exclusive"), EntityPath(.holdout, "production", "held_out"),
    ]
    private static let flags = ["plain", "rolled", "a", "b", "held"]

    let lock: LockFile
    private let datafile: Project
    private let rows: [Int?]
    /// What a user gets with the outcomes of all flags. They are few, and making texts takes longer than deciding.
    private var texts: [[Decision.OutcomeID]: [String]] = [:]
    private var found: [Decision.OutcomeID] = []

    init(_ traffic: Traffic, _ lock: LockFile = LockFile()) throws {
        let compiled = ProjectCompiler(Self.project(traffic), lock: lock).compile()
        try #require(compiled.diagnostics.all.isEmpty)
        self.lock = compiled.lock
        let datafile = try Project(datafile: try #require(compiled.datafiles.first).bytes)
        self.datafile = datafile
        rows = Self.flags.map { datafile.flagRow($0) }
    }

    /// Which variation, delivery, experiment of the group, and holdout the user gets; empty for none.
    func outcomes(of user: User) -> [String] {
        datafile.decideOutcomes(ofFlags: rows, for: user, profile: UserProfile(), into: &found)
        if let known = texts[found] { return known }
        let decisions = zip(Self.flags, found).map { datafile.decision($1, flagKey: $0) }
        func part(_ index: Int, _ rule: String, _ text: String? = nil) -> String {
            decisions[index].ruleKey == rule ? text ?? decisions[index].variationKey ?? "" : ""
        }
        let result = [
            part(0, "plain_test"), part(1, "rolled_out"), part(2, "a_test", "a") + part(3, "b_test", "b"),
            part(4, "held_out", "held"),
        ]
        texts[found] = result
        return result
    }

    private static func project(_ traffic: Traffic) -> AuthoredProject {
        var project = AuthoredProject(key: "shop")
        project.environments = [AuthoredEnvironment(key: "production")]
        project.flags = flags.map(flag)
        project.flags[0].rules.experiments[0].traffic = TrafficShare(buckets: traffic.experiment)
        project.flags[0].rules.experiments[0].split = zip(["on", "off", "big"], traffic.weights).map {
            SplitShare($0, weight: $1)
        }
        var delivery = AuthoredDelivery(key: "rolled_out", variation: "on")
        delivery.traffic = TrafficShare(buckets: traffic.delivery)
        project.flags[1].rules.experiments = []
        project.flags[1].rules.deliveries = [delivery]
        let members = zip(["a", "b"], traffic.group).map { (key: String, buckets) in
            GroupMember(RuleReference(flag: key, rule: "\(key)_test"), traffic: TrafficShare(buckets: buckets))
        }
        project.groups = [AuthoredGroup(key: "exclusive", members: members)]
        project.holdouts = [AuthoredHoldout(key: "held_out", traffic: TrafficShare(buckets: traffic.holdout))]
        project.holdouts[0].rules = [RuleReference(flag: "held", rule: "held_test")]
        return project
    }

    private static func flag(_ key: String) -> AuthoredFlag {
        var flag = AuthoredFlag(key: key)
        flag.variations = [AuthoredVariation(key: "on"), AuthoredVariation(key: "big")]
        var experiment = AuthoredExperiment(key: "\(key)_test")
        experiment.split = [SplitShare("on", weight: 1)]
        flag.rules.experiments = [experiment]
        return flag
    }
}
