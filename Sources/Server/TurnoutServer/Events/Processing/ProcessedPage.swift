/// The rows of a part of the log.
package struct ProcessedPage: Sendable {
    /// The rows of the bodies of known projects.
    package var rows: [EventRows] = []
    /// The bodies of projects that no datafile has.
    package var unknown: [EventRows] = []
    /// The offsets of bodies that are in quarantine, and whose rows are among ``rows``.
    package var released: [Int64] = []
    /// Whether only the first exposure of a visitor to a variation is stored on each UTC day. Default: false.
    package var storesFirstOfDay = false
    /// The offset after the part.
    package var next: Int64

    package init(next: Int64) { self.next = next }
}

/// Numbers of the processed events.
package struct ProcessedCounts: Sendable, Equatable {
    package var exposures = 0
    package var conversions = 0
    /// Events that were known already.
    package var duplicates = 0
    /// Exposures that were not stored, because the visitor had the variation on that day already.
    package var repeated = 0
    /// Parts of bodies that cannot be processed.
    package var rejected = 0
    package var quarantined = 0
    /// Events with a corrected timestamp.
    package var corrected = 0
    /// The stored exposures of a page by variation. A sum has none: their number has no limit.
    package var arms: [ExposureCounts.Arm: Int] = [:]

    package init() {}

    package static func + (left: ProcessedCounts, right: ProcessedCounts) -> ProcessedCounts {
        var sum = left
        sum.exposures += right.exposures
        sum.conversions += right.conversions
        sum.duplicates += right.duplicates
        sum.repeated += right.repeated
        sum.rejected += right.rejected
        sum.quarantined += right.quarantined
        sum.corrected += right.corrected
        return sum
    }
}

/// How long events are kept, counted from their receipt.
package struct EventRetention: Sendable, Equatable {
    /// The days for which exposures, conversions and visitors are kept. Default: 400.
    package var days = 400
    /// The days for which exposures and conversions are kept, if less, because an engine has them. Default: nil.
    package var eventDays: Int?
    /// The days after which a second copy of an event counts as another event. Not less than the 30 days that a
    /// timestamp may be old. Default: 31.
    package var duplicateDays = 31
    /// The days for which rejected parts and bodies of unknown projects are kept, but not longer than events. Default:
    /// 30.
    package var asideDays = 30
    /// The maximum number of rejected parts to keep; all are counted. Default: 10,000.
    package var maximumRejected = 10_000
    /// The maximum number of bytes in quarantine; the oldest are deleted first. Default: 100 MB.
    package var maximumQuarantine = 100_000_000

    package init() {}
}
