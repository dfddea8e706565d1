import TurnoutEngine

extension ProjectReader {
    /// An experiment without a flag. Its key is that of the mapping, and its kind the value of `type`.
    mutating func experimentWithoutFlag(_ entry: KeyedEntry) -> AuthoredExperiment? {
        guard let members = members(of: entry, .experimentWithoutFlag) else {
            knowsAllRules = false
            return nil
        }
        return experiment(members, entry.key, entry.origin, RuleScope())
    }

    mutating func experiment(
        _ members: Members, _ key: String, _ origin: SourceOrigin, _ scope: RuleScope
    ) -> AuthoredExperiment {
        let (own, scope) = ownVariations(members, scope)
        var experiment = AuthoredExperiment(key: key, origin: origin)
        experiment.formerKey = string(members["was"])
        experiment.kind = kind(members)
        experiment.status = word(members["status"], Rule.Status.wordsOfExperiments) ?? .running
        experiment.audience = condition(members["audience"])
        if let traffic = share(members["traffic"]) { experiment.traffic = traffic }
        experiment.split = split(required("split", in: members), experiment.kind, scope.variations)
        experiment.variations = own
        experiment.allowList = allowList(members["allow_list"], scope.variations)
        experiment.metrics = (members["metrics"].flatMap { elements(of: $0) } ?? []).compactMap { metric($0) }
        experiment.ignoredFindings = ignoredFindings(members["ignore"])
        experiment.verbatim = verbatim(members["datafile"])
        return experiment
    }

    private mutating func kind(_ members: Members) -> AuthoredExperiment.Kind {
        let kind: AuthoredExperiment.Kind =
            switch members.part {
            case .bandit: .bandit(attributes: [])
            case .rollout: .rollout
            case .experiment: word(members["type"], AuthoredExperiment.Kind.splits) ?? .split(type: .abTest)
            default: word(members["type"], AuthoredExperiment.Kind.all) ?? .split(type: .abTest)
            }
        guard case .bandit = kind else {
            if let entry = members["attributes"] {
                report(
                    .conflictingKeys, "only a bandit has \"attributes\"", advice: "add type: bandit",
                    at: entry.keyRange.lowerBound)
            }
            return kind
        }
        let entries = members["attributes"].flatMap { elements(of: $0, "a list of attributes") } ?? []
        let keys = entries.compactMap { entry in string(entry).flatMap { attribute($0, entry) } }
        return .bandit(attributes: keys)
    }

    private mutating func attribute(_ key: String, _ entry: KeyedEntry) -> String? {
        check(key, in: attributes, at: entry.offset) ? key : nil
    }

    /// The weights of variations, or a list of variations with equal weights.
    mutating func split(_ entry: KeyedEntry?, _ kind: AuthoredExperiment.Kind, _ known: KnownKeys) -> [SplitShare] {
        guard let entry else { return [] }
        let isBandit = if case .bandit = kind { true } else { false }
        var shares: [SplitShare] = []
        var isWhole = true
        if isBandit || entry.node.isSequence {
            let list = elements(of: entry, "a list of variations") ?? []
            for entry in distinct(list.compactMap { keyElement($0) })
            where check(entry.key, in: known, at: entry.offset) {
                shares.append(SplitShare(entry.key, weight: 100, origin: entry.origin))
            }
        } else {
            for entry in entries(of: entry, "weights by variation, or a list of variations") {
                let weight = weight(entry)
                isWhole = isWhole && weight != nil
                guard check(entry.key, in: known, at: entry.keyRange.lowerBound), let weight else { continue }
                shares.append(SplitShare(entry.key, weight: weight, origin: entry.origin))
            }
        }
        if isWhole, !shares.isEmpty, shares.allSatisfy({ $0.weight == 0 }) {
            report(.weight, "all weights of the split are zero", at: entry.keyRange.lowerBound)
        }
        if kind == .rollout, shares.count > 1 {
            report(
                .weight, "a rollout has one variation, found \(shares.count)",
                advice: "use an experiment to compare variations", at: entry.keyRange.lowerBound)
        }
        return shares
    }

    private mutating func allowList(_ entry: KeyedEntry?, _ known: KnownKeys) -> [AllowListEntry] {
        guard let entry else { return [] }
        var lines: [String: Int] = [:]
        return entries(of: entry, "users by variation").compactMap { entry in
            let isKnown = check(entry.key, in: known, at: entry.keyRange.lowerBound)
            let users = elements(of: entry, "a list of users") ?? []
            let userIDs = users.compactMap { user -> String? in
                guard let id = string(user) else { return nil }
                let line = source.position(of: user.offset).line
                guard let first = lines.updateValue(line, forKey: id) else { return id }
                report(
                    .duplicateUser, "user \"\(id)\" is in the allow list twice",
                    advice: "it is already in line \(first)", at: user.offset)
                return nil
            }
            return isKnown ? AllowListEntry(entry.key, userIDs: userIDs, origin: entry.origin) : nil
        }
    }

    // MARK: Metrics

    private mutating func metric(_ entry: KeyedEntry) -> ExperimentMetric? {
        var name: KeyedEntry? = entry
        var direction = ExperimentMetric.Direction.increase
        if case .mapping = entry.node.content {
            guard let members = members(of: entry, .metric) else { return nil }
            name = required("metric", in: members)
            let words = ExperimentMetric.Direction.allCases.map { ($0.rawValue, $0) }
            direction = word(members["direction"], words) ?? direction
        }
        guard let name, let text = string(name, "a metric such as purchase.unique") else { return nil }
        let counts = ExperimentMetric.Aggregation.allCases.map(\.rawValue)
        guard let dot = text.lastIndex(of: ".") else {
            report(
                .unknownWord, "the metric \(quoted(text)) does not say what is counted",
                advice: "write \(text).\(counts[0]); the counts are \(counts.joined(separator: ", "))",
                at: name.offset)
            return nil
        }
        let isKnown = check(String(text[..<dot]), in: events, at: name.offset)
        let count = String(text[text.index(after: dot)...])
        guard let aggregation = ExperimentMetric.Aggregation(rawValue: count) else {
            let meant = suggestion(for: count, among: counts)
            report(
                .unknownWord, "unknown count \(quoted(count)) in a metric",
                advice: meant.map(Spelling.question) ?? "it can be \(counts.joined(separator: ", "))",
                at: name.offset)
            return nil
        }
        guard isKnown else { return nil }
        return ExperimentMetric(
            event: String(text[..<dot]), aggregation: aggregation, direction: direction, origin: entry.origin)
    }
}
