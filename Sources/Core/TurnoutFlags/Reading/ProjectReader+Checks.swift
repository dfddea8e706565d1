extension ProjectReader {
    /// Checks what concerns several parts of a project.
    mutating func check(_ project: AuthoredProject) {
        checkFormerKeys(project.attributes, "attribute")
        checkFormerKeys(project.events, "event")
        checkFormerKeys(project.metrics, "metric")
        checkFormerKeys(project.audiences, "audience")
        checkFormerKeys(project.flags, "flag")
        checkFormerKeys(project.experiments, "experiment")
        checkFormerKeys(project.groups, "group")
        checkFormerKeys(project.holdouts, "holdout")
        checkFormerKeys(project.environments, "environment")
        checkSDKKeys(of: project.environments)
        checkFileNames(of: project.environments)
        checkRuleKeys(of: project)
        checkGroups(of: project)
        checkCycles(of: project.audiences)
    }

    /// Reports parts whose former key another part has, or had as well.
    mutating func checkFormerKeys(_ parts: [any RenamablePart], _ kind: String) {
        let keys = Set(parts.map(\.key))
        var known: [String: String] = [:]
        for part in parts {
            guard let formerKey = part.formerKey else { continue }
            let (key, offset) = (part.key, part.origin.lowerBound)
            if formerKey == key {
                report(
                    .formerKeyExists, "the \(kind) \(quoted(key)) has a \"was\" equal to its own key",
                    advice: "remove \"was\"", at: offset)
            } else if keys.contains(formerKey) {
                report(
                    .formerKeyExists, "the \(kind) \(quoted(key)) was \(quoted(formerKey)), which still exists",
                    advice: "remove one of them, or \"was\"", at: offset)
            } else if let other = known[formerKey] {
                report(
                    .duplicateFormerKey,
                    "the \(kind)s \(quoted(other)) and \(quoted(key)) both were \(quoted(formerKey))",
                    advice: "only one of them can keep its id", at: offset)
            }
            known[formerKey] = key
        }
    }

    /// Reports environments that share an SDK key: a program would get the datafile of either.
    private mutating func checkSDKKeys(of environments: [AuthoredEnvironment]) {
        var owners: [String: String] = [:]
        for environment in environments {
            for sdkKey in environment.sdkKeys {
                guard let owner = owners.updateValue(environment.key, forKey: sdkKey), owner != environment.key else {
                    continue
                }
                report(
                    .duplicateSDKKey,
                    "the environments \(quoted(owner)) and \(quoted(environment.key)) both have the SDK key "
                        + quoted(sdkKey),
                    advice: "programs name an environment by its SDK key, so each needs one of its own",
                    at: environment.origin.lowerBound)
            }
        }
    }

    /// Reports environments whose keys differ only in case: on many disks, both datafiles would be one file.
    private mutating func checkFileNames(of environments: [AuthoredEnvironment]) {
        var known: [String: String] = [:]
        for environment in environments {
            guard let other = known.updateValue(environment.key, forKey: environment.key.lowercased()) else { continue }
            report(
                .similarEnvironments,
                "the environments \(quoted(other)) and \(quoted(environment.key)) differ only in case",
                advice: "their datafiles would be one file on some disks; rename one of them",
                at: environment.origin.lowerBound)
        }
    }

    /// Reports rules that have the same key in an environment.
    private mutating func checkRuleKeys(of project: AuthoredProject) {
        var reported: Set<Int> = []
        for environment in project.environments.map(\.key) {
            var known: [String: Int] = [:]
            var rules = project.experiments.map { ($0.key, $0.origin) }
            for flag in project.flags {
                let own = flag.rules(in: environment)
                rules += own.experiments.map { ($0.key, $0.origin) } + own.deliveries.map { ($0.key, $0.origin) }
            }
            rules.sort { $0.1.lowerBound < $1.1.lowerBound }
            for (key, origin) in rules {
                guard let first = known[key] else {
                    known[key] = origin.lowerBound
                    continue
                }
                guard reported.insert(origin.lowerBound).inserted else { continue }
                let line = source.position(of: first).line
                report(
                    .duplicateRule, "two rules in \(quoted(environment)) have the key \(quoted(key))",
                    advice: "the other one is in line \(line)", at: origin.lowerBound)
            }
        }
    }

    /// Reports experiments in two groups.
    private mutating func checkGroups(of project: AuthoredProject) {
        var known: [RuleReference: String] = [:]
        for group in project.groups {
            for member in group.members {
                if let other = known.updateValue(group.key, forKey: member.experiment) {
                    report(
                        .groupOverlap,
                        "\(quoted(member.experiment.name)) is in the groups \(quoted(other)) and \(quoted(group.key))",
                        advice: "an experiment can be in one group", at: member.experiment.origin.lowerBound)
                }
            }
        }
    }

    // MARK: Cycles

    /// Reports audiences that refer to themselves, each cycle once.
    private mutating func checkCycles(of audiences: [AuthoredAudience]) {
        let numbers = Dictionary(audiences.enumerated().map { ($1.key, $0) }) { first, _ in first }
        let references = audiences.map { $0.condition.audienceKeys.compactMap { numbers[$0] } }
        var isDone = audiences.map { _ in false }
        // The audiences on the path, each with the number of its references that were followed.
        var path: [(audience: Int, followed: Int)] = []
        var places: [Int: Int] = [:]
        for start in audiences.indices where !isDone[start] {
            path = [(start, 0)]
            places = [start: 0]
            while let (audience, followed) = path.last {
                guard followed < references[audience].count else {
                    isDone[audience] = true
                    places[audience] = nil
                    path.removeLast()
                    continue
                }
                path[path.count - 1].followed += 1
                let next = references[audience][followed]
                if let place = places[next] {
                    reportCycle(path[place...].map { audiences[$0.audience] })
                } else if !isDone[next] {
                    places[next] = path.count
                    path.append((next, 0))
                }
            }
        }
    }

    private mutating func reportCycle(_ audiences: [AuthoredAudience]) {
        guard let first = audiences.first else { return }
        let names = audiences.prefix(6).map(\.key) + (audiences.count > 6 ? ["…"] : []) + [first.key]
        report(
            .audienceCycle, "the audience \(quoted(first.key)) refers to itself",
            advice: names.joined(separator: " → "), at: first.origin.lowerBound)
    }
}

extension SourceOrigin {
    /// The first offset; 0 for parts made in memory.
    var lowerBound: Int { range?.lowerBound ?? 0 }
    /// The offset after the last; 0 for parts made in memory.
    var upperBound: Int { range?.upperBound ?? 0 }
}
