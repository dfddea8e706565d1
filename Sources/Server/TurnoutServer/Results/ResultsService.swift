package import TurnoutClient
import TurnoutFlags

/// The results of experiments, computed from the processed events when they are asked for.
///
/// One computation runs at a time. Its outcome is kept until there are new events; an experiment whose computation
/// takes long is computed again less often: at most a tenth of the time is spent on it.
package final class ResultsService: Sendable {
    private struct Computed<Value: Sendable>: Sendable {
        var experiment: RecordedExperiment
        var exclusions: [ResultExclusion]
        var progress: Int64
        /// Visitors' windows pass although nothing arrives.
        var hour: Int64
        var value: Value
        var duration: Duration
        var finished: Duration
    }

    private struct State {
        var results: [String: Computed<ExperimentResults>] = [:]
        /// Of one experiment: it may be large.
        var distributions: [String: Computed<ResultDistribution>] = [:]
        /// The experiments whose final results could not be computed: not tried again.
        var failed: Set<String> = []
    }

    /// Those that all experiments share when they are computed together: 160 MB.
    private static let keptConversions = 4_000_000

    private let events: EventDatabase
    private let exclusions: @Sendable () throws -> [ResultExclusion]
    private let daysAfterStop: @Sendable () throws -> Int
    private let wallClock: any WallClock
    private let uptime: @Sendable () -> Duration
    private let state = Locked(State())
    /// The number of requests that wait for results.
    let waiting = Locked(0)

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - events: The processed events.
    ///   - exclusions: The visitors to leave out; called for each computation. Default: none.
    ///   - daysAfterStop: The days after a stop in which conversions count. Default: 0.
    ///   - clock: Measures how long computations take. Default: the system's clock.
    ///   - wallClock: Provides the current time, for metrics with a window. Default: the system's.
    package init(
        _ events: EventDatabase, exclusions: @escaping @Sendable () throws -> [ResultExclusion] = { [] },
        daysAfterStop: @escaping @Sendable () throws -> Int = { 0 },
        clock: any Clock<Duration> = .continuous, wallClock: any WallClock = .system
    ) {
        (self.events, self.exclusions, self.wallClock) = (events, exclusions, wallClock)
        self.daysAfterStop = daysAfterStop
        uptime = clock.stopwatch()
    }

    /// The experiments that datafiles had, sorted by environment and key. Blocks.
    package func experiments() throws -> [RecordedExperiment] {
        try events.experiments().map(\.withoutEmptyArms)
            .sorted { ($0.environment, $0.key, $0.id) < ($1.environment, $1.key, $1.id) }
    }

    /// The verdicts of all experiments; of one that is too large, why there is none. Blocks.
    package func summaries() throws -> ExperimentSummaries {
        let (progress, snapshot) = try (events.progress(), events.snapshot(room: Self.keptConversions))
        return ExperimentSummaries(
            try experiments().map { experiment in
                do { return try results(of: experiment, progress, in: snapshot) } catch let error as ResultError {
                    guard case .tooLarge = error else { throw error }
                    let none = ResultDistribution(arms: experiment.variations.map(\.id), leftOut: [:])
                    var results = ResultsCalculation(experiment, none).results()
                    (results.state, results.verdict) = (.unavailable, "\(error)")
                    return results
                }
            })
    }

    /// The results of an experiment. Blocks: a million exposures take seconds.
    package func results(of experiment: RecordedExperiment) throws -> ExperimentResults {
        try results(of: experiment, events.progress(), in: events.snapshot())
    }

    /// Computes and keeps the results that have become final, while there are the events for it. Blocks.
    ///
    /// - Throws: The last error, after all were tried.
    @Sendable func keepFinalResults() throws {
        // Before an engine has all events, its results are not those that stay.
        guard try events.isImported() else { return }
        let (days, now) = (try daysAfterStop(), wallClock.millisecondsSince1970())
        var failure: (any Error)?
        for experiment in try experiments() where experiment.finalSince(daysAfterStop: days) ?? .max <= now {
            let isKnown = try events.finalResults(of: experiment) != nil
            guard !isKnown, state.withLock({ !$0.failed.contains(experiment.id) }) else { continue }
            do {
                let results = try results(of: experiment)
                if results.isFinal { try events.keep(results) }
            } catch {
                failure = error
                if error is ResultError { state.withLock { _ = $0.failed.insert(experiment.id) } }
            }
        }
        if let failure { throw failure }
    }

    private func results(
        of experiment: RecordedExperiment, _ progress: Int64, in snapshot: EventSnapshot
    ) throws -> ExperimentResults {
        if let final = try events.finalResults(of: experiment) { return final }
        let finalSince = experiment.finalSince(daysAfterStop: try daysAfterStop())
        return try state.withLock { state in
            try value(of: experiment, progress, snapshot, in: &state.results) { distribution, now in
                var results = ResultsCalculation(experiment, distribution).results()
                (results.computed, results.experiment.finalSince) = (now, finalSince)
                return results
            }
        }
    }

    /// The distribution of an experiment, from which anyone can compute the results. Blocks.
    package func distribution(of experiment: RecordedExperiment) throws -> ResultDistribution {
        try state.withLock { state in
            if state.distributions[experiment.id] == nil { state.distributions = [:] }
            return try value(of: experiment, events.progress(), events.snapshot(), in: &state.distributions) {
                distribution, _ in distribution
            }
        }
    }

    private func value<Value: Sendable>(
        of experiment: RecordedExperiment, _ progress: Int64, _ snapshot: EventSnapshot,
        in computed: inout [String: Computed<Value>],
        _ compute: (ResultDistribution, _ now: Int64) -> Value
    ) throws -> Value {
        let (start, now) = (uptime(), wallClock.millisecondsSince1970())
        var selection = ResultSelection(experiment, exclusions: try exclusions(), now: now)
        selection.timeAfterStop = Int64(try daysAfterStop()) * 86_400_000
        if let known = computed[experiment.id], known.experiment == experiment,
            known.exclusions == selection.exclusions,
            known.progress == progress && known.hour == now / 3_600_000 || start - known.finished < known.duration * 9
        {
            return known.value
        }
        let value = compute(try events.distribution(selection, in: snapshot), now)
        computed[experiment.id] = Computed(
            experiment: experiment, exclusions: selection.exclusions, progress: progress, hour: now / 3_600_000,
            value: value, duration: uptime() - start, finished: uptime())
        return value
    }
}

extension ResultSelection {
    /// Everything that the results of an experiment need.
    init(_ experiment: RecordedExperiment, exclusions: [ResultExclusion], now: Int64) {
        self.init(
            projectID: experiment.projectID, experimentID: experiment.id, variationIDs: experiment.variations.map(\.id),
            metrics: experiment.metrics.map { metric in
                Metric(eventKey: metric.event, window: metric.windowDays.map { Int64(min($0, 36_500)) * 86_400_000 })
            }, now: now)
        (start, stop) = (experiment.start, experiment.stop)
        self.exclusions = exclusions
    }
}
