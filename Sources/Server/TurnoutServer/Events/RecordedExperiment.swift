import TurnoutEngine
package import TurnoutFlags

/// An experiment as the served datafiles had it, and when its plan changed. It stays when they no longer have it.
package struct RecordedExperiment: Sendable, Equatable {
    /// Who was to get which variation.
    package struct Plan: Sendable, Equatable {
        /// The status of an experiment that decides.
        static let running = Rule.Status.running.rawValue
        /// The status of an experiment that its datafile no longer has.
        static let removed = "removed"

        /// The status in the datafile, or `removed`.
        package var status: String
        /// The share of users who take part, out of 10,000.
        package var traffic: Int
        /// The share of each variation, out of 10,000, by its id. Empty for a bandit.
        package var weights: [String: Int]
        /// The ids of users with a fixed variation, sorted.
        package var allowList: [String]
        /// The kind in the datafile, such as `ab`; empty if the datafile does not say.
        package var kind: String
    }

    /// A plan, until the next one.
    package struct Period: Sendable, Equatable {
        /// When the datafile was served for the first time, in milliseconds since 1970.
        package var since: Int64
        /// The revision of the datafile.
        package var revision: String
        package var plan: Plan
    }

    package struct Variation: Sendable, Equatable {
        package var id: String
        package var key: String
    }

    package var projectID: String
    package var id: String
    /// The key of the environment, or the SDK key if the datafile names none.
    package var environment: String
    package var key: String
    /// The key of the flag; nil for an experiment without one.
    package var flag: String?
    /// The control first: the first variation of the `split` in a project file, or else of the datafile.
    package var variations: [Variation]
    /// The metrics, the primary one first. Without a project file, the events that the datafile names.
    package var metrics: [ExperimentMetric]
    /// The planned number of visitors of all variations together, which a project file may name; nil if none did. The
    /// first one stays.
    package var plannedVisitors: Int?
    /// The plans in the order of time, of which none equals the one before.
    package var periods: [Period]
}

extension RecordedExperiment {
    /// The experiments of a datafile, each with its current plan.
    static func experiments(
        of served: ServedDatafile, in datafiles: DatafileDirectory
    ) -> [RecordedExperiment] {
        let project = served.project
        var flags: [String: String] = [:]
        for flag in project.flags { for id in flag.experimentIDs where flags[id] == nil { flags[id] = flag.key } }
        var events: [String: [ExperimentMetric]] = [:]
        for event in project.events {
            let metric = ExperimentMetric(event: event.key, aggregation: .unique)
            for id in event.experimentIDs { events[id, default: []].append(metric) }
        }
        return project.experiments.map { rule in
            let design = datafiles.design(ofRule: rule.id) ?? ExperimentDesign()
            return RecordedExperiment(
                projectID: project.projectID, id: rule.id, environment: served.environment, key: rule.key,
                flag: flags[rule.id],
                variations: rule.variations.map { Variation(id: $0.id, key: $0.key) }.ordered(by: design.variations),
                metrics: design.metrics.isEmpty ? events[rule.id] ?? [] : design.metrics,
                plannedVisitors: design.plan?.visitors,
                periods: [Period(since: served.publishedAt, revision: project.revision, plan: Plan(rule))])
        }
    }
}

extension RecordedExperiment.Plan {
    fileprivate init(_ rule: Rule) {
        status = rule.status.rawValue
        weights = Dictionary(rule.variations.map { ($0.id, 0) }) { first, _ in first }
        for range in rule.traffic where weights[range.entityID] != nil {
            weights[range.entityID, default: 0] += range.buckets.count
        }
        traffic = rule.contextualBanditTraffic ?? weights.values.reduce(0, +)
        if rule.contextualBanditTraffic != nil || rule.type == .multiArmedBandit { weights = [:] }
        allowList = Set(rule.whitelist.map(\.userID)).sorted()
        kind = rule.type.rawValue
    }
}

extension ServedDatafile {
    var environment: String { project.environmentKey ?? sdkKey }
}

extension [RecordedExperiment.Variation] {
    /// Those with these keys first, in this order.
    fileprivate func ordered(by keys: [String]) -> [RecordedExperiment.Variation] {
        keys.compactMap { key in first { $0.key == key } } + filter { !keys.contains($0.key) }
    }
}
