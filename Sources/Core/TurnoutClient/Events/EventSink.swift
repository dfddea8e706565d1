/// Receives the events of a client.
///
/// A ``DecisionRuntime`` passes each impression and conversion to its sink once: synchronous calls on their own thread,
/// asynchronous ones in their task, several at a time. If ``waits`` is true, asynchronous calls use
/// ``acceptDurably(_:)``, which continues if its caller stops waiting. No function throws: a sink counts an event that
/// it cannot accept in ``losses``, and decisions do not fail with it; only conversions report the outcome to their
/// caller. `FlagClient` flushes and closes its sink when it is flushed and closed itself. Events may follow even then,
/// because a closed client still decides.
package protocol EventSink: Sendable {
    /// Accepts an event. Returns quickly unless ``waits`` is true.
    @discardableResult
    func accept(_ event: OutgoingEvent) -> EventAcceptance
    /// Accepts events of one call for one receiver, in their order. Default: accepts them one by one.
    func accept(_ events: [OutgoingEvent])
    /// Accepts events of one call for one receiver, and waits until they are as durable as the store makes them,
    /// without blocking a thread. Default, for sinks that do not wait: accepts them one by one.
    ///
    /// - Returns: The outcome for each event.
    func acceptDurably(_ events: [OutgoingEvent]) async -> [EventAcceptance]
    /// Whether accepting an event may wait for a disk or a network. Default: false.
    var waits: Bool { get }
    /// Delivers queued events, as far as possible.
    func flush() async
    /// Delivers queued events within a limit. The sink stays in use.
    func flush(within limit: Duration) async
    /// Delivers queued events within a limit, and stops.
    func close(within limit: Duration) async
    /// The events that were given up.
    var losses: EventLosses { get }
}

extension EventSink {
    package func accept(_ events: [OutgoingEvent]) { for event in events { accept(event) } }
    package func acceptDurably(_ events: [OutgoingEvent]) async -> [EventAcceptance] { events.map { accept($0) } }
    package var waits: Bool { false }
}

/// The outcome for an event passed to a sink.
package enum EventAcceptance: Sendable {
    /// The event stays queued until it is delivered.
    case accepted
    /// The event is queued in memory only.
    case notDurable
    /// The event is lost, and counted.
    case lost
}
