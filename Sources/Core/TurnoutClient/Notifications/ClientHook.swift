/// Code that runs before and after each decision and event of a client, for example to trace decisions, to add
/// attributes, or to keep data out of events.
///
/// ```swift
/// var hook = ClientHook()
/// hook.beforeDecision = { request in request.user.attributes["region"] = "eu" }
/// hook.afterDecision = { decision, _ in print(decision) }
/// hook.beforeEvent = { event in
///     var event = event
///     event.user.attributes["email"] = nil
///     return event
/// }
/// configuration.hooks = [hook]
/// ```
///
/// Hooks run on the calling thread of the decision, and can be called from several threads at once. They add their own
/// time to each call. Listeners do not: they run later and change nothing; see ``FlagClient/addListener(to:_:)``.
///
/// With several hooks, those before something run in the order of ``ClientConfiguration/hooks``, those after it in the
/// opposite order. The drop-in modules have no hooks.
public struct ClientHook: Sendable {
    /// Called before one or several flags are decided for a user. It may change the user and the options. Default: nil.
    public var beforeDecision: (@Sendable (_ request: inout DecisionRequest) -> Void)?
    /// Called after each flag was decided, with the user as decided for; also for flags that
    /// `enabledFlagsOnly` leaves out, and for errors. Default: nil.
    public var afterDecision: (@Sendable (_ decision: Decision, _ user: User) -> Void)?
    /// Called before an event is queued, an impression or a conversion. It returns the event to queue, which may be
    /// changed, or nil to drop it. A dropped event does not reach listeners and is not counted as lost. Default: nil.
    public var beforeEvent: (@Sendable (_ event: ClientEvent) -> ClientEvent?)?
    /// Called after an event was passed to the queue. ``FlagClient/lostEvents`` counts those that it could not keep.
    /// Default: nil.
    public var afterEvent: (@Sendable (_ event: ClientEvent) -> Void)?

    /// Creates a hook that does nothing.
    public init() {}
}

/// Flags to decide for a user, as a ``ClientHook`` sees them.
public struct DecisionRequest: Sendable {
    /// The keys of the flags, in the caller's order; nil for all flags.
    public let flagKeys: [String]?
    /// The user to decide for.
    public var user: User
    /// The options of the call. Those of ``ClientConfiguration/defaultOptions`` are added later.
    public var options: DecideOptions
}

/// An impression or a conversion, as a ``ClientHook`` sees it.
public struct ClientEvent: Sendable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
        /// A user got a variation.
        case impression(Impression)
        /// A user did something; the key of the event.
        case conversion(eventKey: String)
    }

    /// The kind of the event.
    public let kind: Kind
    /// The user in the event. Changes affect only this event.
    public var user: User
    /// The tags of a conversion. Those of an impression are not sent.
    public var tags: [String: AttributeValue] = [:]
}

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
