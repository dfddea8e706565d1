/// The hooks of a client, one after the other.
final class HookChain: Sendable {
    private let hooks: [ClientHook]
    /// Whether any hook is called for events.
    let handlesEvents: Bool

    /// Creates a chain; nil without hooks, so that a client without hooks tests one reference.
    init?(_ hooks: [ClientHook]) {
        guard !hooks.isEmpty else { return nil }
        self.hooks = hooks
        handlesEvents = hooks.contains { $0.beforeEvent != nil || $0.afterEvent != nil }
    }

    func beforeDecision(_ request: inout DecisionRequest) {
        for hook in hooks { hook.beforeDecision?(&request) }
    }

    func afterDecision(_ decision: Decision, _ user: User) {
        for hook in hooks.reversed() { hook.afterDecision?(decision, user) }
    }

    /// The event to queue, or nil to drop it.
    func beforeEvent(_ event: ClientEvent) -> ClientEvent? {
        var event = event
        for hook in hooks {
            guard let beforeEvent = hook.beforeEvent else { continue }
            guard let changed = beforeEvent(event) else { return nil }
            event = changed
        }
        return event
    }

    func afterEvent(_ event: ClientEvent) {
        for hook in hooks.reversed() { hook.afterEvent?(event) }
    }
}
