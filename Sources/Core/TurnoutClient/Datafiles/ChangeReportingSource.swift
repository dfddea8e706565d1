/// A source of datafiles that also learns about changes, without being asked.
package protocol ChangeReportingSource: DatafileSource {
    /// The entity tag of the newest copy, or nil.
    var entityTag: String? { get }

    /// Waits for changes and reports them, until the task is canceled, or no attempt can succeed any more.
    ///
    /// - Parameters:
    ///   - clock: Measures pauses and silence.
    ///   - random: The source of jitter.
    ///   - report: Receives what happens, in order. Must return quickly.
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
