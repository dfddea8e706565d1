/// What a ``ResultDistribution`` is computed from. All times are in milliseconds since 1970 and in `start..<end`.
package struct ResultSelection: Sendable, Equatable {
    package struct Metric: Sendable, Equatable {
        /// The key of the event.
        package var eventKey: String
        /// How long after their first exposure visitors' conversions count, in milliseconds. Default: nil, as long as
        /// there are any.
        package var window: Int64?

        package init(eventKey: String, window: Int64? = nil) {
            self.eventKey = eventKey
            self.window = window
        }
    }

    /// How long before a visitor's first exposure events describe the visitor: 14 days.
    package static let timeBefore: Int64 = 14 * 86_400_000

    package var projectID: String
    package var experimentID: String
    /// The ids of the variations: the arms, in their order. Other variations are not counted.
    package var variationIDs: [String]
    package var metrics: [Metric]
    /// From when on exposures count. Default: nil, from the first one.
    package var start: Int64?
    /// The end of the experiment, after which no exposure counts. Default: nil, it has not ended.
    package var stop: Int64?
    /// How long after the stop conversions count. Default: 0.
    package var timeAfterStop: Int64 = 0
    /// The time after which no conversion counts.
    var end: Int64 { stop.map { $0 + timeAfterStop } ?? .max }
    /// The current time: visitors whose window has not passed are left out of a metric.
    package var now: Int64
    /// The visitors to leave out. Lists must be resolved. Default: none.
    package var exclusions: [ResultExclusion] = []

    package init(
        projectID: String, experimentID: String, variationIDs: [String], metrics: [Metric] = [], now: Int64
    ) {
        self.projectID = projectID
        self.experimentID = experimentID
        self.variationIDs = variationIDs
        self.metrics = metrics
        self.now = now
    }
}
