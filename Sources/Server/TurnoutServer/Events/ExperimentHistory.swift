import TurnoutClient
import TurnoutFlags

/// Writes when the plans of the experiments of served datafiles changed.
package final class ExperimentHistory: Sendable {
    private struct State {
        var metrics: [String: [String: [ExperimentMetric]]] = [:]
        var rebuilds = 0
        /// The entity tags of the datafiles that were written, by SDK key.
        var written: [String: String] = [:]
    }

    private let datafiles: DatafileDirectory
    private let state = Locked(State())

    /// Creates the history of datafiles, which writes nothing yet.
    package init(of datafiles: DatafileDirectory) { self.datafiles = datafiles }

    /// Writes what has changed. Blocks. After an error, the next call writes it.
    ///
    /// - Parameters:
    ///   - store: Receives the experiments.
    ///   - rebuilds: How often the store lost what was written.
    /// - Throws: The error of the store.
    package func write(to store: EventDatabase, rebuilds: Int) throws {
        // Metrics can change without the datafile.
        let metrics = datafiles.metrics
        let written = state.withLock { state in
            if state.metrics != metrics || state.rebuilds != rebuilds {
                state = State(metrics: metrics, rebuilds: rebuilds)
            }
            return state.written
        }
        let changed = datafiles.datafiles.filter { written[$0.sdkKey] != $0.entityTag }
        for served in changed.sorted(by: { ($0.publishedAt, $0.sdkKey) < ($1.publishedAt, $1.sdkKey) }) {
            try store.record(
                RecordedExperiment.experiments(of: served) { datafiles.metrics(ofRule: $0) }, of: served)
            state.withLock { $0.written[served.sdkKey] = served.entityTag }
        }
    }
}
