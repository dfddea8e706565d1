import TurnoutEngine

/// A share of traffic in whole buckets of 0.01 %.
package struct TrafficShare: Sendable, Hashable, Comparable {
    /// The number of buckets, 0 to 10,000.
    package var buckets: Int

    package init(buckets: Int) { self.buckets = buckets }

    package static let all = TrafficShare(buckets: Bucketing.bucketCount)

    package static func < (left: TrafficShare, right: TrafficShare) -> Bool { left.buckets < right.buckets }
}
