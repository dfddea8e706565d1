import TurnoutEngine

extension ProjectReader {
    // MARK: Metrics with names

    /// A metric of the project, which rules refer to by its key.
    mutating func namedMetric(_ entry: KeyedEntry) -> AuthoredMetric? {
        guard let members = members(of: entry, .namedMetric) else { return nil }
        let (event, count) = (required("event", in: members), required("count", in: members))
        let eventKey = string(event).flatMap { check($0, in: events, at: event?.offset ?? 0) ? $0 : nil }
        let aggregation = word(count, ExperimentMetric.Aggregation.allCases.map { ($0.rawValue, $0) })
        let direction = direction(members["direction"])
        let window = window(members["window"])
        let winsorising = winsorising(members["winsorise"], aggregation)
        guard let eventKey, let aggregation else { return nil }
        var metric = ExperimentMetric(
            event: eventKey, aggregation: aggregation, direction: direction, origin: entry.origin)
        (metric.windowDays, metric.winsorising) = (window, winsorising)
        var part = AuthoredMetric(key: entry.key, metric)
        part.formerKey = string(members["was"])
        part.ignoredFindings = ignoredFindings(members["ignore"])
        return part
    }

    private mutating func direction(_ entry: KeyedEntry?) -> ExperimentMetric.Direction {
        word(entry, ExperimentMetric.Direction.allCases.map { ($0.rawValue, $0) }) ?? .increase
    }

    /// A number of days such as `7 days`.
    private mutating func window(_ entry: KeyedEntry?) -> Int? {
        guard let entry else { return nil }
        let words = (entry.node.text ?? "").split(separator: " ")
        if words.count == 2, ["day", "days"].contains(words[1]), let days = Self.count(words[0]), days <= 3_650 {
            return days
        }
        reportType("days", entry, advice: "write it like 7 days; at most 3,650")
        return nil
    }

    /// A percentile such as `99.9`, in hundredths.
    private mutating func winsorising(_ entry: KeyedEntry?, _ aggregation: ExperimentMetric.Aggregation?) -> Int? {
        guard let entry else { return nil }
        guard aggregation != .unique else {
            report(
                .conflictingKeys, "a metric that counts users has no \(quoted(entry.key))",
                advice: "it limits the sums of single users; remove it", at: entry.keyRange.lowerBound)
            return nil
        }
        let hundredths = try? Hundredths.parse((entry.node.text ?? "")[...])
        if let hundredths, 5_000..<10_000 ~= hundredths { return hundredths }
        reportType("a percentile from 50 to 99.99", entry, advice: "write it like 99.9")
        return nil
    }

    // MARK: Metrics of rules

    mutating func metrics(_ entry: KeyedEntry?, of kind: AuthoredExperiment.Kind) -> [ExperimentMetric] {
        let metrics = (entry.flatMap { elements(of: $0) } ?? []).compactMap { metric($0) }
        if case .bandit = kind, let first = metrics.first, first.aggregation.isPerConversion {
            report(
                .conflictingKeys, "a bandit cannot learn from \(quoted(first.spelling)), a mean over events",
                advice: "its first metric counts users, or adds up what each does", at: first.origin.lowerBound)
        }
        return metrics
    }

    /// The name of a metric, or `EVENT.COUNT`, perhaps with its direction.
    private mutating func metric(_ entry: KeyedEntry) -> ExperimentMetric? {
        var (name, direction): (KeyedEntry?, KeyedEntry?) = (entry, nil)
        if case .mapping = entry.node.content {
            guard let members = members(of: entry, .metric) else { return nil }
            (name, direction) = (required("metric", in: members), members["direction"])
        }
        guard let name, let text = string(name, "a metric such as purchase.unique") else { return nil }
        if metricNames.contains(text) {
            if let direction {
                report(
                    .conflictingKeys, "the metric \(quoted(text)) has its direction in the project's \"metrics\"",
                    advice: "write only its name", at: direction.keyRange.lowerBound)
            }
            var metric = metrics[text]
            metric?.origin = entry.origin
            return metric
        }
        let better = self.direction(direction)
        return countedEvent(text, name).map { event, aggregation in
            ExperimentMetric(event: event, aggregation: aggregation, direction: better, origin: entry.origin)
        }
    }

    /// The event and the count in `purchase.unique`.
    private mutating func countedEvent(
        _ text: String, _ entry: KeyedEntry
    ) -> (event: String, count: ExperimentMetric.Aggregation)? {
        let counts = ExperimentMetric.Aggregation.allCases.map(\.rawValue)
        guard let dot = text.lastIndex(of: ".") else {
            guard events.contains(text) || metricNames.keys.isEmpty else {
                _ = check(text, in: metricNames, at: entry.offset)
                return nil
            }
            report(
                .unknownWord, "the metric \(quoted(text)) does not say what is counted",
                advice: "write \(text).\(counts[0]); the counts are \(counts.joined(separator: ", "))",
                at: entry.offset)
            return nil
        }
        let event = String(text[..<dot])
        let isKnown = check(event, in: events, at: entry.offset)
        let count = String(text[text.index(after: dot)...])
        guard let aggregation = ExperimentMetric.Aggregation(rawValue: count) else {
            let meant = suggestion(for: count, among: counts)
            report(
                .unknownWord, "unknown count \(quoted(count)) in a metric",
                advice: meant.map(Spelling.question) ?? "it can be \(counts.joined(separator: ", "))",
                at: entry.offset)
            return nil
        }
        return isKnown ? (event, aggregation) : nil
    }

    // MARK: Plans

    mutating func plan(_ entry: KeyedEntry?, of kind: AuthoredExperiment.Kind) -> ExperimentPlan? {
        guard let entry else { return nil }
        guard case .split = kind else {
            report(
                .conflictingKeys, "a \(kind.spelling) has no \"plan\"", advice: "only a fixed split has a size to plan",
                at: entry.keyRange.lowerBound)
            return nil
        }
        guard let members = members(of: entry, .plan) else { return nil }
        let perDay = count(members["per_day"])
        return count(required("visitors", in: members)).map { ExperimentPlan(visitors: $0, perDay: perDay) }
    }
}
