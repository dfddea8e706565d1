import TurnoutSQLite

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
