import TurnoutFlags

/// How the visitors of an experiment and what they did are distributed over its arms.
///
/// A visitor belongs to the arm and the UTC day of the first exposure, and is either counted or left out for one
/// reason. The result does not depend on the order in which events were stored. All rows are sorted.
package struct ResultDistribution: Sendable, Equatable {
    /// The visitors of a day.
    package struct VisitorRow: Sendable, Equatable {
        package var arm: Int
        /// The number of the UTC day since 1970.
        package var day: Int
        package var visitors: Int
    }

    /// The events of a metric of a visitor, added up. An amount beyond a million millions is a mistake and counts as 0.
    package struct Totals: Sendable, Comparable {
        package var count = 0
        package var revenue: Int64 = 0
        package var value = 0.0

        package init() {}

        package static func < (left: Totals, right: Totals) -> Bool {
            (left.count, left.revenue, left.value) < (right.count, right.revenue, right.value)
        }
    }

    /// The visitors of a day with the same totals.
    package struct OutcomeRow: Sendable, Equatable {
        package var arm: Int
        package var day: Int
        /// From the first exposure on.
        package var totals = Totals()
        /// In ``ResultSelection/timeBefore``.
        package var before = Totals()
        package var visitors: Int

        fileprivate func isSimilar(to other: OutcomeRow) -> Bool {
            (arm, day, totals, before) == (other.arm, other.day, other.totals, other.before)
        }
    }

    package struct Metric: Sendable, Equatable {
        package var rows: [OutcomeRow] = []
        /// The visitors of each arm who are not in the rows, because their window has not passed.
        package var unfinished: [Int]
        /// The conversions of each arm's visitors that do not count, because their time was corrected.
        package var corrected: [Int]

        init(arms: Int) {
            unfinished = Array(repeating: 0, count: arms)
            corrected = unfinished
        }

        /// Sorts the rows, and joins those that differ only in their number of visitors.
        mutating func joinEqualRows() {
            rows.sort { ($0.arm, $0.day, $0.totals, $0.before) < ($1.arm, $1.day, $1.totals, $1.before) }
            var last = 0
            for index in rows.indices.dropFirst() {
                if rows[index].isSimilar(to: rows[last]) {
                    rows[last].visitors += rows[index].visitors
                } else {
                    last += 1
                    rows[last] = rows[index]
                }
            }
            rows.removeSubrange(min(last + 1, rows.count)...)
        }
    }

    /// The visitors of a day whose first exposure a client reported.
    package struct SourceRow: Sendable, Equatable {
        package var arm: Int
        package var day: Int
        package var client: String
        package var version: String
        package var visitors: Int
    }

    /// Why something was left out. Of a visitor's reasons, the first in this order counts.
    package enum Reason: String, Sendable, CaseIterable {
        /// Visitors whose variation was forced: at this server, or on a list of users with a fixed variation.
        case forced
        /// Visitors of ``ResultSelection/exclusions``.
        case excluded
        case bots
        /// Visitors who got several variations.
        case crossed
        /// Exposures whose time was corrected.
        case correctedTime
        /// Exposures before the start.
        case beforeStart
        /// Exposures after the stop.
        case afterStop
    }

    /// The ids of the variations.
    package var arms: [String]
    package var visitors: [VisitorRow] = []
    /// In the order of the selection.
    package var metrics: [Metric] = []
    package var sources: [SourceRow] = []
    /// What was left out of each arm, by reason.
    package var leftOut: [Reason: [Int]]
}

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
