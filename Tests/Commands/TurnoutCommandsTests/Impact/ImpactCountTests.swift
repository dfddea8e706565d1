/// The counts of `turnout impact`: which users move, and how.
@Suite struct ImpactCountTests {
    private static let users = (1...2_000).map { User(Population.id($0), attributes: ["country": "US"]) }

    /// Compares two datafiles for 2,000 users.
    private func summary(
        _ old: ImpactDatafile, _ new: ImpactDatafile, profiles: [String: UserProfile] = [:], flagKeys: [String] = []
    ) throws -> ImpactSummary {
        let projects = ProjectPair(try old.project, try new.project, flagKeys: flagKeys)
        var count = ImpactCount(projects, exampleLimit: 5)
        for (place, user) in Self.users.enumerated() {
            count.add(user, profile: profiles[user.id] ?? UserProfile(), place: place)
        }
        return ImpactSummary(count, of: projects, names: ("old", "new"), source: "test", isSample: false)
    }

    private func edited(_ edit: (inout ImpactDatafile.Flag) -> Void) -> ImpactDatafile {
        var datafile = ImpactDatafile()
        edit(&datafile.flags[0])
        return datafile
    }

    /// The users whose keys of variations a test selects, decided one by one.
    private func users(
        _ old: ImpactDatafile, _ new: ImpactDatafile, where isCounted: (Decision, Decision) -> Bool
    ) throws -> Int {
        let (old, new) = (try old.project, try new.project)
        return Self.users.count { isCounted(old.decide("flag_1", for: $0), new.decide("flag_1", for: $0)) }
    }

    @Test func equalDatafilesMoveNoUser() throws {
        let summary = try summary(ImpactDatafile(), ImpactDatafile())
        #expect(summary.users == 2_000 && summary.movedUsers == 0 && summary.flags.isEmpty)
        #expect(ChangeKinds.named.allSatisfy { summary.users($0.kind) == 0 })
    }

    @Test func changedTrafficLetsUsersCrossBetweenArms() throws {
        let new = edited { $0.ends = [4_000, 6_000, 8_000] }
        let summary = try summary(ImpactDatafile(), new)
        let crossing = try users(ImpactDatafile(), new) { $0.variationKey != $1.variationKey }
        #expect(crossing > 100 && summary.users(.crossing) == crossing && summary.movedUsers == crossing)
        #expect(summary.users(.entering) == 0 && summary.users(.leaving) == 0)
        let change = try #require(summary.flags.first?.changes.first)
        #expect(change.change.old.variation == "b" && change.change.new.variation == "a")
        #expect(change.change.kinds == [.crossing, .variation] && change.users == crossing)
    }

    @Test func moreTrafficLetsUsersEnterAndLessLetsThemLeave() throws {
        let more = edited { $0.ends = [3_000, 6_000, 9_000] }
        let entering = try summary(ImpactDatafile(), more)
        let leaving = try summary(more, ImpactDatafile())
        let users = try users(ImpactDatafile(), more) { $0.variationKey != $1.variationKey }
        #expect(users > 100 && entering.users(.entering) == users && leaving.users(.leaving) == users)
        #expect(entering.users(.leaving) == 0 && leaving.users(.entering) == 0)
        #expect(entering.users(.crossing) == 0 && leaving.users(.crossing) == 0)
    }

    @Test func aWiderFeatureRolloutIsNotACrossing() throws {
        let old = edited { ($0.type, $0.ends) = ("fr", [3_000, 3_000, 3_000]) }
        let new = edited { ($0.type, $0.ends) = ("fr", [6_000, 6_000, 6_000]) }
        let summary = try summary(old, new)
        #expect(summary.movedUsers > 100 && summary.users(.variation) == summary.movedUsers)
        #expect(summary.users(.crossing) == 0 && summary.users(.entering) == 0)
    }

    @Test func otherVariablesAndStatesOfAVariationAreValues() throws {
        let title = try summary(ImpactDatafile(), edited { $0.title = "y" })
        #expect(title.movedUsers == 2_000 && title.users(.values) == 2_000 && title.users(.variation) == 0)
        let variables = try #require(title.flags.first?.changes.first?.change.variables)
        #expect(variables.map(\.key) == ["title"] && variables[0].old == #""x""# && variables[0].new == #""y""#)
        let flip = edited { $0.isOn = false }
        let flipped = try summary(ImpactDatafile(), flip)
        let users = try users(ImpactDatafile(), flip) { $0.isEnabled != $1.isEnabled }
        #expect(users > 100 && flipped.users(.values) == users && flipped.movedUsers == users)
    }

    @Test func anotherRuleWithTheSameVariationMovesNoUser() throws {
        let old = edited { $0.rollout = "a" }
        let new = edited { ($0.rollout, $0.status) = ("a", "Paused") }
        let summary = try summary(old, new)
        let users = try users(old, new) { $0.variationKey == $1.variationKey && $0.ruleKey != $1.ruleKey }
        #expect(users > 100 && summary.users(.rule) == users)
        // They leave the experiment nevertheless.
        #expect(summary.users(.leaving) > users && summary.movedUsers < summary.users(.leaving))
    }

    @Test func aStoredAssignmentIsLostIfItIsNoLongerKept() throws {
        let stored = Self.users.prefix(10).map { ($0.id, UserProfile(["e1": "b1"])) }
        let profiles = Dictionary(uniqueKeysWithValues: stored)
        let other = edited { $0.ends = [8_000, 8_000, 8_000] }
        #expect(try summary(ImpactDatafile(), other, profiles: profiles).users(.lostAssignment) == 0)
        let paused = edited { $0.status = "Paused" }
        let summary = try summary(ImpactDatafile(), paused, profiles: profiles)
        #expect(summary.users(.lostAssignment) == 10)
    }

    @Test func missingFlagsCountAsOff() throws {
        var two = ImpactDatafile()
        two.flags = [.init(1), .init(2)]
        let added = try summary(ImpactDatafile(), two)
        #expect(added.addedFlags == ["flag_2"] && added.removedFlags.isEmpty)
        let project = try two.project
        let on = Self.users.count { project.decide("flag_2", for: $0).isEnabled }
        #expect(added.movedUsers == on && on < 2_000)
        let removed = try summary(two, ImpactDatafile())
        #expect(removed.removedFlags == ["flag_2"] && removed.movedUsers == on)
        #expect(try summary(two, ImpactDatafile(), flagKeys: ["flag_1"]).movedUsers == 0)
    }

    @Test func examplesAreTheUsersWithTheMostChanges() throws {
        var (old, new) = (ImpactDatafile(), ImpactDatafile())
        old.flags = (1...4).map { .init($0) }
        new.flags = old.flags.map { flag in
            var flag = flag
            flag.ends[0] += 1_000
            return flag
        }
        let summary = try summary(old, new)
        let counts = summary.examples.map(\.changes.count)
        #expect(counts.count == 5 && counts == counts.sorted(by: >) && counts[0] >= 2)
        #expect(summary.flags.allSatisfy { $0.changes.allSatisfy { (1...5).contains($0.examples.count) } })
    }

    /// Two flags: users of the first lose their arms, and of the second a few cross.
    @Test func examplesAreCrossingUsersThenThoseWhoLoseAnAssignment() throws {
        let place = 1_900
        let profiles = [Self.users[place].id: UserProfile(["e1": "b1"])]
        var (old, new) = (ImpactDatafile(), ImpactDatafile())
        old.flags = [.init(1), .init(2)]
        old.flags[0].rollout = "a"
        new.flags = old.flags
        new.flags[0].status = "Paused"
        repeat { new.flags[1].ends[0] += 1 } while try summary(old, new).users(.crossing) == 0
        let summary = try summary(old, new, profiles: profiles)
        let ranks = summary.examples.map { example in
            let kinds = example.changes.reduce(into: ChangeKinds()) { $0.formUnion($1.change.kinds) }
            return kinds.contains(.crossing) ? 3 : kinds.contains(.lostAssignment) ? 2 : 1
        }
        #expect(ranks == ranks.sorted(by: >) && Set(ranks) == [1, 2, 3], "\(ranks)")
        // Most users of the arm "a" have the same variation as before.
        #expect(summary.users(.rule) > 100)
        for change in summary.examples.flatMap(\.tellingChanges) {
            #expect(change.change.isVisible || change.change.kinds.contains(.crossing))
        }
        #expect(summary.examples.allSatisfy { !$0.tellingChanges.isEmpty })
    }

    @Test func noUserIsAnExampleIfOnlyRulesDiffer() throws {
        let old = edited { ($0.rollout, $0.ends) = ("a", [8_000, 8_000, 8_000]) }
        let new = edited { ($0.rollout, $0.ends, $0.status) = ("a", [8_000, 8_000, 8_000], "Paused") }
        let summary = try summary(old, new)
        #expect(summary.users(.rule) > 100 && summary.examples.isEmpty)
        #expect(!summary.report.text(width: 100).contains("telling"))
    }

    @Test func lostAssignmentsComeBeforeUsersThatEnterOrLeave() throws {
        let stored = Self.users.prefix(10).map { ($0.id, UserProfile(["e1": "b1"])) }
        let profiles = Dictionary(uniqueKeysWithValues: stored)
        let summary = try summary(ImpactDatafile(), edited { $0.status = "Paused" }, profiles: profiles)
        for text in [summary.report.text(width: 100, hasColor: true), summary.markdown] {
            let lost = try #require(text.firstRange(of: "lose a stored assignment"))
            let leaving = try #require(text.firstRange(of: "Users that enter an experiment"))
            #expect(lost.lowerBound < leaving.lowerBound)
        }
        let line = summary.report.text(width: 100, hasColor: true).split(separator: "\n")
            .first { $0.contains("lose a stored assignment") }
        #expect(line?.hasPrefix("\u{1B}[31m") == true)
    }

    @Test func theOrderOfUsersAndTheNumberOfWorkersDoNotMatter() throws {
        let projects = ProjectPair(try ImpactDatafile().project, try edited { $0.ends[0] = 4_000 }.project)
        var (whole, parts) = (ImpactCount(projects, exampleLimit: 5), [ImpactCount]())
        for (place, user) in Self.users.enumerated() { whole.add(user, profile: UserProfile(), place: place) }
        for remainder in [2, 0, 1] {
            var part = ImpactCount(projects.replica(remainder), exampleLimit: 5)
            for (place, user) in Self.users.enumerated() where place % 3 == remainder {
                part.add(user, profile: UserProfile(), place: place)
            }
            parts.append(part)
        }
        var sum = ImpactCount(projects, exampleLimit: 5)
        for part in parts { sum.add(part) }
        func text(_ count: ImpactCount) -> String {
            ImpactSummary(count, of: projects, names: ("", ""), source: "", isSample: true).json
        }
        #expect(text(sum) == text(whole))
    }
}
