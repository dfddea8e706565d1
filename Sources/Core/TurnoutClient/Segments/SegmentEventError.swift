/// Why a segment event was not sent. What the service would refuse would take along the events it travels with.
public enum SegmentEventError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The datafile names no service that wants events.
    case noService
    /// A fact is neither scalar nor null, or a number that JSON does not know. Carries its name.
    case invalidData(String)
    /// It does not say what happened.
    case noAction
    /// It does not say to whom: there is no identifier, or all are empty.
    case noIdentifier
    /// It could not be kept, because too many wait already or the store failed; see ``Client/lostEvents``.
    case lost
    /// It will be delivered if the process lives long enough, but the store could not make it durable. Sending it again
    /// would count it twice.
    case notDurable

    /// The error in words.
    public var description: String {
        switch self {
        case .noService: "the datafile names no service for segment events"
        case .invalidData(let name): "the fact \"\(name)\" is no text, number or truth value"
        case .noAction: "the event has no action"
        case .noIdentifier: "the event has no identifier"
        case .lost: "the event could not be kept"
        case .notDurable: "the event is kept in memory only"
        }
    }
}
