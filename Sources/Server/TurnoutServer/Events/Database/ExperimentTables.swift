import TurnoutEngine
import TurnoutFlags
import TurnoutSQLite

extension EventDatabase {
    /// The experiments of a project, or of all projects, with their plans. Blocks.
    package func experiments(ofProject id: String? = nil) throws -> [RecordedExperiment] {
        try reading { try RecordedExperiment.all(ofProject: id, $0) }
    }

    /// Writes the experiments of a datafile as far as they differ from what is known. Those that the datafile no
    /// longer has are removed from now on. Blocks.
    func record(_ experiments: [RecordedExperiment], of served: ServedDatafile) throws {
        try use { writer in try writer.transaction { try writer.record(experiments, of: served) } }
    }

    /// How much is known: differs after each change of the events. Blocks.
    package func progress() throws -> Int64 {
        if let engine {
            // Several servers have a number each.
            return try engine.rows(of: .progress).blocks.reduce(0) { $1.integers(0).reduce($0, &+) }
        }
        return try reading { try $0.number("PRAGMA data_version") } &+ (onlyReads ? 0 : offset()) << 20
    }

    /// The visitors that the server's results leave out, as its setting names them. Blocks.
    package func exclusions() throws -> [String] {
        try reading { connection in
            let statement = try connection.statement("SELECT content FROM exclusions")
            defer { statement.reset() }
            var texts: [String] = []
            while try statement.step() { texts.append(statement.text(0)) }
            return texts
        }
    }

    /// The days after the stop of an experiment in which conversions count, as the server's setting says. Blocks.
    package func daysAfterStop() throws -> Int {
        try reading { Int(try $0.number("SELECT ifnull(max(value), 0) FROM state WHERE name = 'days_after_stop'")) }
    }

    /// Writes the settings, so that commands find them in the folder. Blocks.
    func setResultSettings(exclusions texts: [String], daysAfterStop days: Int) throws {
        try use { writer in
            try writer.transaction {
                try writer.set("days_after_stop", Int64(days))
                try writer.connection.run("DELETE FROM exclusions")
                let statement = try writer.connection.statement("INSERT INTO exclusions(content) VALUES(?)")
                for text in texts {
                    statement.bind(1, text)
                    try statement.run()
                }
            }
        }
    }

    /// Writes that the variation of visitors was forced, at a time in milliseconds since 1970. Blocks.
    package func force(_ visitors: [Int64], at time: Int64) throws {
        try use { writer in
            try writer.transaction {
                let statement = try writer.connection.statement(
                    "INSERT INTO forced(id, last) VALUES(?, ?) ON CONFLICT(id) DO UPDATE SET last = excluded.last")
                for visitor in visitors {
                    statement.bind(1, visitor)
                    statement.bind(2, time)
                    try statement.run()
                }
            }
        }
    }
}

extension EventWriter {
    fileprivate func record(_ experiments: [RecordedExperiment], of served: ServedDatafile) throws {
        let all = try RecordedExperiment.all(ofProject: served.project.projectID, connection)
        var known = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        var written: Set<String> = []
        for experiment in experiments where written.insert(experiment.id).inserted {
            try write(experiment, known.removeValue(forKey: experiment.id))
        }
        for experiment in known.values where experiment.environment == served.environment {
            guard var last = experiment.periods.last else { continue }
            (last.since, last.revision) = (served.publishedAt, served.project.revision)
            last.plan.status = RecordedExperiment.Plan.removed
            var removed = experiment
            removed.periods = [last]
            try write(removed, experiment)
        }
    }

    /// Writes an experiment with its latest plan, as far as it is not known.
    private func write(_ experiment: RecordedExperiment, _ known: RecordedExperiment?) throws {
        guard var period = experiment.periods.last else { return }
        let described = known?.described(by: experiment) ?? experiment
        if described != known { try describe(described) }
        let last = known?.periods.last
        guard last?.plan != period.plan else { return }
        // The clock may have been set back.
        if let last { period.since = max(period.since, last.since + 1) }
        let statement = try connection.statement(
            """
            INSERT INTO periods(experiment, since, revision, status, traffic, weights, allow_list, kind)
            SELECT number, ?, ?, ?, ?, ?, ?, ? FROM experiments WHERE project = ? AND id = ?
            """)
        statement.bind(1, period.since)
        statement.bind(2, period.revision)
        statement.bind(3, period.plan.status)
        statement.bind(4, Int64(period.plan.traffic))
        statement.bind(5, period.plan.weightTexts)
        statement.bind(6, period.plan.allowListText)
        statement.bind(7, period.plan.kind)
        statement.bind(8, experiment.projectID)
        statement.bind(9, experiment.id)
        try statement.run()
    }

    private func describe(_ experiment: RecordedExperiment) throws {
        let statement = try connection.statement(
            """
            INSERT INTO experiments(project, id, environment, key, flag, variations, metrics, planned)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(project, id) DO UPDATE SET environment = excluded.environment, key = excluded.key,
                flag = excluded.flag, variations = excluded.variations, metrics = excluded.metrics,
                planned = ifnull(planned, excluded.planned)
            """)
        let texts = [
            experiment.projectID, experiment.id, experiment.environment, experiment.key, experiment.flag,
            experiment.variationTexts, experiment.metricTexts,
        ]
        for (index, text) in texts.enumerated() { statement.bind(Int32(index + 1), text) }
        statement.bind(8, experiment.plannedVisitors.map(Int64.init))
        try statement.run()
    }

    /// Removes users from the lists of users with a fixed variation.
    func forgetAllowed(_ users: [String]) throws {
        let statement = try connection.statement(
            """
            UPDATE periods SET allow_list =
                (SELECT json_group_array(value) FROM json_each(allow_list) WHERE value <> ?1)
            WHERE EXISTS (SELECT 1 FROM json_each(allow_list) WHERE value = ?1)
            """)
        for user in users {
            statement.bind(1, user)
            try statement.run()
        }
    }
}

extension RecordedExperiment {
    /// The experiment with its latest description. Once it ran, that of a datafile in which it runs, with the
    /// variations of all, so that the results of a stopped experiment stay.
    fileprivate func described(by latest: RecordedExperiment) -> RecordedExperiment {
        var described = latest
        described.periods = periods
        guard periods.contains(where: { $0.plan.status == Plan.running }) else { return described }
        guard latest.isRunning else { return self }
        described.variations += variations.filter { old in !latest.variations.contains { $0.id == old.id } }
        return described
    }
}
