/// A segment that this project defines itself, for `turnout serve`. Datafiles do not contain it.
package struct AuthoredSegment: Sendable, Equatable {
    /// The name that conditions of audiences use.
    package var key: String
    /// The ids of users in it.
    package var members: [String]
    /// A rule that puts further users in it; nil for none.
    package var rule: SegmentRule?

    package init(key: String, members: [String] = [], rule: SegmentRule? = nil) {
        self.key = key
        self.members = members
        self.rule = rule
    }
}

/// Puts users in a segment for the events that a server has received from them.
package struct SegmentRule: Sendable, Equatable {
    /// The key of the event. Events of the data platform have the key `TYPE/ACTION`.
    package var event: String
    /// The days in which events count, up to now; nil for all events that the server keeps. Default: nil.
    package var days: Int?
    /// The least number of events. Default: 1.
    package var times: Int
    /// The least sum of the events' revenue, in the smallest unit of the currency; nil if it does not matter. Default:
    /// nil.
    package var revenue: Int?

    package init(event: String, days: Int? = nil, times: Int = 1, revenue: Int? = nil) {
        self.event = event
        self.days = days
        self.times = times
        self.revenue = revenue
    }
}
