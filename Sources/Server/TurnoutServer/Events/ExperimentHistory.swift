import TurnoutClient
import TurnoutFlags

/// Writes when the plans of the experiments of served datafiles changed, and whom results leave out.
package final class ExperimentHistory: Sendable {
    private struct State {
        var designs: [String: [String: ExperimentDesign]] = [:]
        var rebuilds = 0
        /// The entity tags of the datafiles that were written, by SDK key.
        var written: [String: String] = [:]
        var wroteSettings = false
    }

    private let datafiles: DatafileDirectory
    private let exclusions: [String]
    private let daysAfterStop: Int
    private let state = Locked(State())

    /// Creates the history of datafiles, which writes nothing yet.
    ///
    /// - Parameters:
    ///   - datafiles: The served datafiles.
    ///   - exclusions: The setting `results.exclude`. Default: none.
    ///   - daysAfterStop: The setting `results.days_after_stop`. Default: 0.
    package init(of datafiles: DatafileDirectory, exclusions: [String] = [], daysAfterStop: Int = 0) {
        (self.datafiles, self.exclusions, self.daysAfterStop) = (datafiles, exclusions, daysAfterStop)
    }

    /// Writes what has changed. Blocks. After an error, the next call writes it.
    ///
    /// - Parameters:
    ///   - store: Receives the experiments.
    ///   - rebuilds: How often the store lost what was written.
    /// - Throws: The error of the store.
    package func write(to store: EventDatabase, rebuilds: Int) throws {
        // Designs can change without the datafile.
        let designs = datafiles.designs
        let (written, wroteSettings) = state.withLock { state in
            if state.designs != designs || state.rebuilds != rebuilds {
                state = State(designs: designs, rebuilds: rebuilds)
            }
            return (state.written, state.wroteSettings)
        }
        if !wroteSettings {
            try store.setResultSettings(exclusions: exclusions, daysAfterStop: daysAfterStop)
            state.withLock { $0.wroteSettings = true }
        }
        let changed = datafiles.datafiles.filter { written[$0.sdkKey] != $0.entityTag }
        for served in changed.sorted(by: { ($0.publishedAt, $0.sdkKey) < ($1.publishedAt, $1.sdkKey) }) {
            try store.record(RecordedExperiment.experiments(of: served, in: datafiles), of: served)
            state.withLock { $0.written[served.sdkKey] = served.entityTag }
        }
    }
}
