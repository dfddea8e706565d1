/// Takes over the events that a client makes.
package protocol EventSink: Sendable {
    /// Takes over an event. Quick, unless the sink waits; what cannot be kept is counted.
    @discardableResult
    func accept(_ event: OutgoingEvent) -> EventAcceptance
    /// Takes over events that were made together, and are for one receiver.
    func accept(_ events: [OutgoingEvent])
    /// Whether taking over waits, for a disk or a network.
    var waits: Bool { get }
    /// Delivers what waits, as far as possible.
    func flush() async
    /// Delivers what waits, at most for some time. The sink goes on.
    func flush(within limit: Duration) async
    /// Delivers what waits, at most for some time, and stops.
    func close(within limit: Duration) async
    /// What was given up.
    var losses: EventLosses { get }
}

extension EventSink {
    package func accept(_ events: [OutgoingEvent]) { for event in events { accept(event) } }
    package var waits: Bool { false }
}

/// What became of an event that a client made.
package enum EventAcceptance: Sendable {
    /// It is kept until it is delivered.
    case accepted
    /// It will be delivered if the process lives long enough.
    case notDurable
    /// It is lost, and counted.
    case lost
}
