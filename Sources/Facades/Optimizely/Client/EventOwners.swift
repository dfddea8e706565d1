import TurnoutClient

/// The projects for which the clients with one SDK key create events.
///
/// A batch that was encoded again by a caller's dispatcher has no SDK key. Its account and project then identify the
/// clients to which it belongs.
final class EventOwners: Sendable {
    private struct State {
        var last: String?
        var owners: Set<EventBatchParts.Owner> = []
    }

    private let state = Locked(State())

    /// Records the owner in an event's envelope.
    func record(_ envelope: String) {
        guard state.withLock({ $0.last != envelope }) else { return }
        let payload = try? JSONValue(parsing: Array((envelope + "]}").utf8))
        let owner = payload.flatMap(EventBatchParts.Owner.init)
        state.withLock { state in
            state.last = envelope
            if let owner { state.owners.insert(owner) }
        }
    }

    /// Whether a payload belongs to one of the projects.
    func contains(_ payload: JSONValue) -> Bool {
        guard let owner = EventBatchParts.Owner(payload) else { return false }
        return state.withLock { $0.owners.contains(owner) }
    }
}
