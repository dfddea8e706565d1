/// Why a conversion was not recorded, or is not durable.
public enum TrackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no datafile yet.
    case notReady
    /// The datafile has no event with this key.
    case unknownEvent(String)
    /// The event was lost, because the queue is full or its store failed; see ``FlagClient/lostEvents``.
    case lost
    /// The event is queued in memory, but its store could not make it durable. Tracking it again would count it twice.
    case notDurable

    /// A description of the error.
    public var description: String {
        switch self {
        case .notReady: "there is no datafile yet"
        case .unknownEvent(let key): "the datafile has no event \"\(key)\""
        case .lost: "the event was lost: the queue is full or its store failed"
        case .notDurable: "the event is kept in memory only"
        }
    }
}
