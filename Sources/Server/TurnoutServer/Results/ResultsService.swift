package import TurnoutClient
import TurnoutFlags

/// The results of experiments, computed from the processed events when they are asked for.
///
/// One computation runs at a time. Its outcome is kept until there are new events; an experiment whose computation
/// takes long is computed again less often: at most a tenth of the time is spent on it.
package final class ResultsService: Sendable {
    private struct Computed {
        var experiment: RecordedExperiment
        var progress: Int64
        var results: ExperimentResults
        var duration: Duration
        var finished: Duration
    }

    private let events: EventDatabase
    private let exclusions: @Sendable () throws -> [ResultExclusion]
    private let wallClock: any WallClock
    private let uptime: @Sendable () -> Duration
    private let computed = Locked<[String: Computed]>([:])

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - events: The processed events.
    ///   - exclusions: The visitors to leave out; called for each computation. Default: none.
    ///   - clock: Measures how long computations take. Default: the system's clock.
    ///   - wallClock: Provides the current time, for metrics with a window. Default: the system's.
    package init(
        _ events: EventDatabase, exclusions: @escaping @Sendable () throws -> [ResultExclusion] = { [] },
        clock: any Clock<Duration> = .continuous, wallClock: any WallClock = .system
    ) {
        (self.events, self.exclusions, self.wallClock) = (events, exclusions, wallClock)
        uptime = clock.stopwatch()
    }

    /// The experiments that datafiles had, sorted by environment and key. Blocks.
    package func experiments() throws -> [RecordedExperiment] {
        try events.experiments().sorted { ($0.environment, $0.key, $0.id) < ($1.environment, $1.key, $1.id) }
    }

    /// The results of an experiment. Blocks: a million exposures take seconds.
    package func results(of experiment: RecordedExperiment) throws -> ExperimentResults {
        try computed.withLock { [events, exclusions, wallClock, uptime] computed in
            let (progress, now) = (try events.progress(), uptime())
            if let known = computed[experiment.id], known.experiment == experiment,
                known.progress == progress || now - known.finished < known.duration * 9
            {
                return known.results
            }
            let distribution = try events.distribution(
                ResultSelection(experiment, exclusions: try exclusions(), now: wallClock.millisecondsSince1970()))
            let results = ResultsCalculation(experiment, distribution).results()
            computed[experiment.id] = Computed(
                experiment: experiment, progress: progress, results: results, duration: uptime() - now,
                finished: uptime())
            return results
        }
    }

    /// The distribution of an experiment, from which anyone can compute the results. Blocks.
    package func distribution(of experiment: RecordedExperiment) throws -> ResultDistribution {
        try events.distribution(
            ResultSelection(experiment, exclusions: try exclusions(), now: wallClock.millisecondsSince1970()))
    }
}

extension ResultSelection {
    /// Everything that the results of an experiment need.
    init(_ experiment: RecordedExperiment, exclusions: [ResultExclusion], now: Int64) {
        self.init(
            projectID: experiment.projectID, experimentID: experiment.id, variationIDs: experiment.variations.map(\.id),
            metrics: experiment.metrics.map { metric in
                Metric(eventKey: metric.event, window: metric.windowDays.map { Int64($0) * 86_400_000 })
            }, now: now)
        (start, stop) = (experiment.start, experiment.stop)
        self.exclusions = exclusions
    }
}
