import TurnoutClient
import TurnoutSQLite

extension EventDatabase {
    /// How the visitors of an experiment and their events are distributed over its arms. Blocks.
    ///
    /// - Parameters:
    ///   - selection: What to read.
    ///   - limit: The memory to use in bytes. Default: 1 GiB, enough for about 15 million visitors.
    /// - Returns: The distribution. Equal events have equal ones, in whatever order they came.
    /// - Throws: ``ResultError/tooLarge(experiment:limit:)``, the error of the file, or `CancellationError` if the
    ///   task is canceled or the database is closed.
    /// - Complexity: O(n) in the number of the experiment's exposures and the conversions of its metrics, and O(n
    ///   log n) in the number of visitors with conversions.
    package func distribution(
        _ selection: ResultSelection, limit: Int = 1 << 30
    ) throws -> ResultDistribution {
        try distribution(selection, limit: limit, in: snapshot())
    }

    func distribution(
        _ selection: ResultSelection, limit: Int = 1 << 30, in snapshot: EventSnapshot
    ) throws -> ResultDistribution {
        var reader = DistributionReader(selection, limit: limit, snapshot)
        return try reader.distribution()
    }

    /// The present state of the events, with room for a number of conversions that further experiments share.
    func snapshot(room: Int = 0) throws -> EventSnapshot {
        // A connection of its own: results take longer than others may wait.
        try EventSnapshot(connectionForReading(), engine, room: room) {
            Task.isCancelled || self.isClosed.withLock { $0 }
        }
    }
}

extension EventDatabase {
    /// The results of a stopped experiment that no longer change; nil while they may. Blocks.
    func finalResults(of experiment: RecordedExperiment) throws -> ExperimentResults? {
        try reading { connection in
            let statement = try connection.statement(
                "SELECT content, computed FROM final_results WHERE project = ? AND experiment = ?")
            statement.bind(1, experiment.projectID)
            statement.bind(2, experiment.id)
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            var results = try ExperimentResults(json: statement.bytes(0))
            results.computed = statement.int(1)
            // It may have run again.
            return results.experiment.stop == experiment.stop ? results : nil
        }
    }

    /// Keeps results that no longer change. Blocks.
    func keep(_ results: ExperimentResults) throws {
        try use { writer in
            let statement = try writer.connection.statement("INSERT OR REPLACE INTO final_results VALUES(?, ?, ?, ?)")
            statement.bind(1, results.experiment.projectID)
            statement.bind(2, results.experiment.id)
            statement.bind(3, results.computed)
            statement.bind(4, String(decoding: results.json, as: UTF8.self))
            try statement.run()
        }
    }
}
