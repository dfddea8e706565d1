/// A source of datafiles that is also notified of changes.
///
/// When a client starts to update its datafile, a ``ChangeFollower`` calls ``reportChanges(clock:random:to:)`` once, in
/// a task on Swift's concurrency pool, so the source must not block. After ``DatafileChangeReport/opened`` and
/// ``DatafileChangeReport/changed(entityTag:)``, the follower requests the datafile with ``DatafileSource/newest()``
/// while the function runs; polling may do so, too. If the client starts again, the former task is canceled, and may
/// overlap with the new one for a moment. The source handles failures itself: it reports them, and tries again after a
/// pause. After the function has returned, only polling finds changes.
package protocol ChangeReportingSource: DatafileSource {
    /// The entity tag of the newest copy, or nil. The follower requests nothing if a report has the same tag.
    var entityTag: String? { get }

    /// Waits for changes and reports them, until the task is canceled, or no attempt can succeed any more.
    ///
    /// - Parameters:
    ///   - clock: Measures pauses and silence.
    ///   - random: The source of jitter.
    ///   - report: Receives what happens, in order, one call at a time. Returns quickly.
    func reportChanges(
        clock: any Clock<Duration>, random: any RandomSource,
        to report: @escaping @Sendable (DatafileChangeReport) -> Void) async
}

/// A report to a source about changes of its datafile.
package enum DatafileChangeReport: Sendable {
    /// Changes are reported from now on. Earlier ones may have been missed.
    case opened
    /// The server has a datafile with this entity tag; nil: with an unknown one.
    case changed(entityTag: String?)
    /// Changes are not reported until the next attempt, after a pause; nil: there is none.
    case closed(any PrintableError, nextAttempt: Duration?)
}
