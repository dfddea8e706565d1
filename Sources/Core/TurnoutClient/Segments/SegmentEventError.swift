/// Why a segment event was not sent. Invalid events are rejected here, since the service would refuse the whole
/// request.
public enum SegmentEventError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The datafile has no service for events.
    case noService
    /// A value in `data` is neither scalar nor null, or a number that JSON cannot represent. Carries its name.
    case invalidData(String)
    /// The event has no action.
    case noAction
    /// The event has no user: there is no identifier, or all are empty.
    case noIdentifier
    /// It could not be queued, because the queue is full or the store failed; see ``Client/lostEvents``.
    case lost
    /// The event will be delivered if the process lives long enough, but the store could not make it durable. Sending
    /// it again would count it twice.
    case notDurable

    /// A description of the error.
    public var description: String {
        switch self {
        case .noService: "the segment event was not sent: the datafile names no data platform"
        case .invalidData(let name):
            "the segment event was not sent: its value for \"\(name)\" is not a string, finite number, Boolean or null"
        case .noAction: "the segment event was not sent: it has no action"
        case .noIdentifier: "the segment event was not sent: it has no identifier with a value"
        case .lost: "the segment event was given up: the queue is full, or its store failed; see Client.lostEvents"
        case .notDurable:
            "the segment event could not be stored, and is kept in memory until it is delivered; do not send it again"
        }
    }
}
