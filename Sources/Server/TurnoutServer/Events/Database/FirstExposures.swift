import TurnoutSQLite

// First exposures of running experiments: without them, visitors would disappear from the results of a long
// experiment when their exposures are too old to be kept.
extension EventWriter {
    /// The arms of the experiments with a last period, `p`.
    private static let arms = """
        SELECT r.id FROM arms r JOIN experiments x ON x.project = r.project AND x.id = r.experiment
        JOIN periods p ON p.experiment = x.number
            AND p.since = (SELECT max(since) FROM periods WHERE experiment = x.number)
        """

    /// Keeps the first exposure of each visitor to each arm of a running experiment, among rows that are deleted.
    func keepFirstExposures(ofRowsBefore end: Int64, receivedBefore limit: Int64) throws {
        let statement = try connection.statement(
            """
            INSERT INTO first_exposures(arm, visitor, timestamp, source, attributes)
            SELECT arm, visitor, timestamp, source, attributes FROM exposures
            WHERE id < ?1 AND received < ?2 AND corrections & \(EventCorrections.timestamp.rawValue) = 0
                AND arm IN (\(Self.arms) WHERE p.status = '\(RecordedExperiment.Plan.running)')
            ON CONFLICT(arm, visitor) DO UPDATE SET
                timestamp = excluded.timestamp, source = excluded.source, attributes = excluded.attributes
            WHERE excluded.timestamp < timestamp
            """)
        statement.bind(1, end)
        statement.bind(2, limit)
        try statement.run()
    }

    /// Deletes those of experiments that ended before a time.
    func expireFirstExposures(before limit: Int64) throws {
        let statement = try connection.statement(
            """
            DELETE FROM first_exposures
            WHERE arm IN (\(Self.arms) WHERE p.status <> '\(RecordedExperiment.Plan.running)' AND p.since < ?)
            """)
        statement.bind(1, limit)
        try statement.run()
    }
}
