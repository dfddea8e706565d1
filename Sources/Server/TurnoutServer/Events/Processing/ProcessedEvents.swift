/// Keeps the exposures, conversions and visitors that processing finds in the log of events.
///
/// ``EventProcessing`` calls ``offset()``, ``quarantined(_:)``, ``write(_:)`` and ``expire(_:now:)``, one after the
/// other. Meanwhile ``PredictionService`` reads outcomes, ``SegmentPlatform`` reads totals, and ``EventService``
/// forgets users: these calls overlap with each other and with those of processing. All functions may block: the server
/// calls them on threads for blocking calls.
///
/// Every function may throw an error of the file or the disk. If processing fails, the error is logged, the bodies stay
/// in the log, and processing tries again after a pause. If outcomes cannot be read, the earlier weights of the bandit
/// stay. ``prepare(for:)`` is called again a minute later. Other errors fail the request that needs the events.
package protocol ProcessedEvents: Sendable {
    /// The offset in the log up to which rows were written, in the same transaction as the rows.
    func offset() throws -> Int64
    /// Writes rows and the offset, in one transaction. Events that were written before are left out, so reading a part
    /// of the log again changes nothing.
    ///
    /// - Returns: The numbers of new and known events.
    func write(_ page: ProcessedPage) throws -> ProcessedCounts
    /// The bodies in quarantine whose project passes a test, removed from quarantine with the next ``write(_:)``.
    func quarantined(_ isWanted: (String) -> Bool) throws -> [EventLogRecord]
    /// Calls a function with the outcomes of a rule: those of one visitor after another, each visitor's in the order of
    /// their times.
    func outcomes(_ selection: RuleOutcomes, _ body: (RuleOutcome) -> Void) throws
    /// Deletes what is older than the limits. Works in small transactions, so that others can write in between.
    ///
    /// - Parameters:
    ///   - retention: The limits.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The number of deleted events.
    /// - Throws: The store's error.
    func expire(_ retention: EventRetention, now: Int64) throws -> Int
    /// Deletes the users' events in all projects; no file contains them afterwards. Parts that cannot be processed do
    /// not say whose they are, so all of them are deleted. Copies of the events are still found: they do not count
    /// again as long as duplicates are found.
    ///
    /// - Returns: The number of deleted events.
    /// - Throws: The store's error. Then the call can be repeated.
    func forget(_ users: [String]) throws -> Int
    /// The conversions of some visitors in a selection, without the events that are not processed yet.
    func totals(of visitors: [String], in selection: ConversionSelection) throws -> ConversionTotals
    /// Whether there are events of one of some visitors in one of some projects.
    func knows(_ visitors: [String], in projects: Set<String>) throws -> Bool
    /// Prepares for frequent calls of ``totals(of:in:)`` with some selections, whatever their start, and for no others.
    func prepare(for selections: [ConversionSelection]) throws
}

/// The rows of a part of the log.
package struct ProcessedPage: Sendable {
    /// The rows of the bodies of known projects.
    package var rows: [EventRows] = []
    /// The bodies of projects that no datafile has.
    package var unknown: [EventRows] = []
    /// The offsets of bodies that are in quarantine, and whose rows are among ``rows``.
    package var released: [Int64] = []
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
    /// Parts of bodies that cannot be processed.
    package var rejected = 0
    package var quarantined = 0
    /// Events with a corrected timestamp.
    package var corrected = 0

    package init() {}

    package static func + (left: ProcessedCounts, right: ProcessedCounts) -> ProcessedCounts {
        var sum = left
        sum.exposures += right.exposures
        sum.conversions += right.conversions
        sum.duplicates += right.duplicates
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
