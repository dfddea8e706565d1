/// What ``DeliveryState`` knows of a destination that did not accept its events. It is dropped when the destination
/// accepts some.
struct DestinationState: Sendable {
    var backoff: Backoff
    /// The end of a pause, in which nothing is sent, or only `doubted` events are not.
    var pauseEnd: Duration?
    /// Whether the run waits for that end.
    var isRetry = false
    /// Failed requests to an address since its last response.
    var failures = 0
    /// Those since its last pause that the run did not wait for.
    var attempts = 0
    /// Whether it was reported that the destination does not accept events.
    var isReported = false

    // The search for refused events of a group.
    /// The maximum number of events in a request since a larger one was refused; doubled when one is accepted.
    var limit: Int?
    /// Whether `limit` stays until the next start, because a request was too large (413).
    var isTooLarge = false
    /// Whether an event was accepted since the search began.
    var hasAccepted = false
    /// Refused events, which are set aside if another one of the group is accepted.
    var doubted: Set<Int64> = []
    /// How often in a row the receiver refused a single event although others were refused before.
    var faults = 0

    var hasDoubts: Bool { !doubted.isEmpty }
    var isBlocked: Bool { pauseEnd != nil && !hasDoubts }

    /// The address responded, with any status.
    mutating func responded() {
        backoff.reset()
        (failures, attempts) = (0, 0)
    }
}
