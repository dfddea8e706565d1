import TurnoutFlags

extension ResultDistribution {
    /// The rows as comma-separated values: one line for each group of visitors who have the same numbers.
    package func csv(of experiment: RecordedExperiment) -> String {
        let header = [
            "metric", "variation", "first_exposure", "count", "revenue", "value", "count_before", "revenue_before",
            "value_before", "visitors",
        ]
        var text = header.joined(separator: ",") + "\r\n"
        for (metric, outcomes) in zip(experiment.metrics, metrics) {
            for row in outcomes.rows {
                let cells: [ExportedEvent.Value] = [
                    .text(metric.spelling), .text(experiment.variations[row.arm].key),
                    .text(Timestamp.dateText(Int64(row.day))), .integer(Int64(row.totals.count)),
                    .integer(row.totals.revenue), .number(row.totals.value), .integer(Int64(row.before.count)),
                    .integer(row.before.revenue), .number(row.before.value), .integer(Int64(row.visitors)),
                ]
                text += ExportedEvent(values: cells).csv
            }
        }
        return text
    }
}
