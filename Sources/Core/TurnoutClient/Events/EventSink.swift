/// Takes over the events that a client makes.
package protocol EventSink: Sendable {
    /// Takes over an event. Quick, and never fails: what cannot be kept is counted.
    func accept(_ event: OutgoingEvent)
    /// Delivers what waits, as far as possible.
    func flush() async
    /// Delivers what waits, at most for some time, and stops.
    func close(within limit: Duration) async
    /// How many events were given up.
    var lostCount: Int { get }
}
