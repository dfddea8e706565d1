@Suite struct RandomProjectTests {
    @Test func theSameSeedMakesTheSameProject() {
        #expect(RandomProject.project(seed: 7) == RandomProject.project(seed: 7))
        #expect(RandomProject.project(seed: 7) != RandomProject.project(seed: 8))
    }

    @Test func everyKeyOfTheFileOccurs() {
        var keys: Set<String> = []
        for seed in 0..<200 as Range<UInt64> {
            collectKeys(of: ProjectWriter.node(of: RandomProject.project(seed: seed)), into: &keys)
        }
        let expected =
            ProjectPart.allCases.flatMap(\.keys) + AttributeTest.Match.spellings
            // An audience by key, and `condition` where it is an attribute, have shorter forms.
            + ConditionWord.names.filter { $0 != "audience" }
        #expect(expected.filter { !keys.contains($0) } == [])
    }

    // MARK: Stability

    @Test func orderWithoutMeaningDoesNotChangeTheBytes() {
        for seed in 0..<UInt64(rounds(15, thorough: 100)) {
            let project = RandomProject.project(seed: seed)
            let compiled = ProjectCompiler(project, lock: LockFile()).compile()
            var random = SplitMix(state: seed)
            let shuffled = ProjectCompiler(project.shuffled(&random), lock: LockFile()).compile()
            let bytes = { (project: CompiledProject) in project.datafiles.sorted { $0.environment < $1.environment } }
            #expect(bytes(compiled).map(\.bytes) == bytes(shuffled).map(\.bytes), "seed \(seed)")
            #expect(compiled.lock.text == shuffled.lock.text, "seed \(seed)")
        }
    }

    @Test func idsAndTrafficSurviveRenames() {
        for seed in 0..<UInt64(rounds(15, thorough: 100)) {
            let project = RandomProject.project(seed: seed)
            let before = ProjectCompiler(project, lock: LockFile()).compile()
            let after = ProjectCompiler(project.renamed, lock: before.lock).compile()
            #expect(after.diagnostics.all.isEmpty, "seed \(seed): \(after.diagnostics.all)")
            #expect(after.lock.ids.values.sorted() == before.lock.ids.values.sorted(), "seed \(seed)")
            #expect(after.lock.retiredIDs.isEmpty, "seed \(seed)")
            #expect(after.lock.ends == before.lock.ends, "seed \(seed)")
        }
    }

    private func collectKeys(of node: Node, into keys: inout Set<String>) {
        switch node.content {
        case .scalar: break
        case .sequence(let elements): for element in elements { collectKeys(of: element, into: &keys) }
        case .mapping(let members):
            for member in members {
                keys.insert(member.key.text)
                collectKeys(of: member.value, into: &keys)
            }
        }
    }

    // MARK: Round trip

    @Test func writtenProjectsReadBackEqual() throws {
        for seed in 0..<UInt64(rounds(100, thorough: 500)) {
            let project = RandomProject.project(seed: seed)
            let text = ProjectWriter.node(of: project).json
            do {
                let read = try AuthoredProject.read(json: text)
                guard read != project else { continue }
                Issue.record("seed \(seed): \(difference(project, read))\n\(text)")
            } catch {
                Issue.record("seed \(seed): \(error.all.map { $0.text(in: "x") }.joined(separator: "\n"))\n\(text)")
            }
            break
        }
    }

    @Test func writingIsStable() throws {
        for seed in 0..<50 as Range<UInt64> {
            let text = ProjectWriter.node(of: RandomProject.project(seed: seed)).json
            #expect(ProjectWriter.node(of: try AuthoredProject.read(json: text)).json == text)
        }
    }

    /// The first parts that differ.
    private func difference(_ first: AuthoredProject, _ second: AuthoredProject) -> String {
        for (label, value) in Mirror(reflecting: first).children {
            let other = Mirror(reflecting: second).children.first { $0.label == label }?.value
            let (left, right) = ("\(value)", other.map { "\($0)" } ?? "nothing")
            if left != right { return "\(label ?? ""):\n\(left)\n\(right)" }
        }
        return "no difference"
    }
}

extension LockFile {
    /// The ends of all ranges, by the id of what they divide.
    fileprivate var ends: [String: [Int]] {
        Dictionary(allocations.map { (ids[$0] ?? "", $1.ranges.map(\.end)) }) { first, _ in first }
    }
}

extension AuthoredProject {
    /// The project in another order, where that means nothing.
    fileprivate func shuffled(_ random: inout SplitMix) -> AuthoredProject {
        var project = self
        project.attributes.shuffle(using: &random)
        project.events.shuffle(using: &random)
        project.metrics.shuffle(using: &random)
        project.environments.shuffle(using: &random)
        project.audiences.shuffle(using: &random)
        for index in project.flags.indices {
            project.flags[index].variables.shuffle(using: &random)
            project.flags[index].variations.shuffleAll(&random)
            project.flags[index].rules.shuffle(&random)
            for key in project.flags[index].rulesByEnvironment.keys.sorted() {
                project.flags[index].rulesByEnvironment[key]?.shuffle(&random)
            }
        }
        project.flags.shuffle(using: &random)
        for index in project.experiments.indices { project.experiments[index].shuffle(&random) }
        project.experiments.shuffle(using: &random)
        for index in project.groups.indices { project.groups[index].members.shuffle(using: &random) }
        project.groups.shuffle(using: &random)
        for index in project.holdouts.indices {
            project.holdouts[index].split.shuffle(using: &random)
            project.holdouts[index].variations.shuffleAll(&random)
            project.holdouts[index].rules.shuffle(using: &random)
            project.holdouts[index].environments.shuffle(using: &random)
        }
        return project
    }

    /// The project with other keys of flags, rules, groups and holdouts, which say what they were.
    fileprivate var renamed: AuthoredProject {
        var project = self
        func renamed(_ rule: RuleReference) -> RuleReference {
            RuleReference(flag: rule.flag.map { "new \($0)" }, rule: "new \(rule.rule)")
        }
        for index in project.flags.indices {
            project.flags[index].formerKey = project.flags[index].key
            project.flags[index].key = "new \(project.flags[index].key)"
            project.flags[index].rules.rename()
            for key in project.flags[index].rulesByEnvironment.keys {
                project.flags[index].rulesByEnvironment[key]?.rename()
            }
        }
        for index in project.experiments.indices { project.experiments[index].rename() }
        for index in project.groups.indices {
            project.groups[index].formerKey = project.groups[index].key
            project.groups[index].key = "new \(project.groups[index].key)"
            for member in project.groups[index].members.indices {
                project.groups[index].members[member].experiment = renamed(groups[index].members[member].experiment)
            }
        }
        for index in project.holdouts.indices {
            project.holdouts[index].formerKey = project.holdouts[index].key
            project.holdouts[index].key = "new \(project.holdouts[index].key)"
            project.holdouts[index].rules = project.holdouts[index].rules.map(renamed)
        }
        return project
    }
}

extension AuthoredRules {
    fileprivate mutating func rename() {
        for index in experiments.indices { experiments[index].rename() }
        for index in deliveries.indices {
            deliveries[index].formerKey = deliveries[index].key
            deliveries[index].key = "new \(deliveries[index].key)"
        }
    }
}

extension AuthoredExperiment {
    fileprivate mutating func rename() {
        formerKey = key
        key = "new \(key)"
    }
}

extension AuthoredRules {
    /// The order of the rules has a meaning, unlike that inside them.
    fileprivate mutating func shuffle(_ random: inout SplitMix) {
        for index in experiments.indices { experiments[index].shuffle(&random) }
        for index in deliveries.indices { deliveries[index].variations.shuffleAll(&random) }
    }
}

extension AuthoredExperiment {
    fileprivate mutating func shuffle(_ random: inout SplitMix) {
        if case .bandit(let attributes) = kind { kind = .bandit(attributes: attributes.shuffled(using: &random)) }
        split.shuffle(using: &random)
        variations.shuffleAll(&random)
        for index in allowList.indices { allowList[index].userIDs.shuffle(using: &random) }
        allowList.shuffle(using: &random)
    }
}

extension [AuthoredVariation] {
    fileprivate mutating func shuffleAll(_ random: inout SplitMix) {
        for index in indices { self[index].overrides.shuffle(using: &random) }
        shuffle(using: &random)
    }
}
