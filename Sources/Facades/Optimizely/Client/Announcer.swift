import Foundation
import Synchronization
import TurnoutClient

/// Tells a client's notification center what happened, one thing after the other, off the thread that decided.
///
/// Nothing is built for a center of this library that has no listeners.
final class Announcer: Sendable {
    /// Something that nobody else could have asked for: what to announce, made when it is announced.
    typealias Arguments = @Sendable () -> [Any?]

    let queue: ListenerQueue
    private let standard: DefaultNotificationCenter
    private let current: Locked<Handed<(any OPTNotificationCenter)?>>
    /// Whether ``current`` is ``standard``; read with every decision, so without a lock.
    private let isStandard = Atomic(true)

    init(_ center: DefaultNotificationCenter, queue: ListenerQueue) {
        standard = center
        self.queue = queue
        current = Locked(Handed(center))
    }

    var center: (any OPTNotificationCenter)? {
        get { current.withLock { $0 }.value }
        set {
            let new = Handed(newValue)
            // The old one goes outside the lock: it may come back here.
            let isStandard = newValue as? DefaultNotificationCenter === standard
            let old = current.withLock { current in
                let old = current
                current = new
                self.isStandard.store(isStandard, ordering: .relaxed)
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Whether somebody may listen to notifications of a type.
    @inline(__always)
    func isHeard(_ type: NotificationType) -> Bool {
        !isStandard.load(ordering: .relaxed) || standard.hasListeners(for: type.rawValue)
    }

    func announce(_ type: NotificationType, _ arguments: @escaping Arguments) {
        guard isHeard(type) else { return }
        queue.add { [self] in center?.sendNotifications(type: type.rawValue, args: arguments()) }
    }

    // MARK: The notifications

    /// A decision of an older call.
    func announceDecision(
        _ type: String, _ user: UserContent, _ info: @escaping @Sendable () -> [String: Any]
    ) {
        announce(.decision) { [type, user.id, user.attributes ?? [:], info()] }
    }

    /// A decision of a flag. Errors are not announced.
    @inline(__always)
    func announceFlag(_ made: MadeDecision, _ user: UserContent) {
        if let sent = made.sent { announceActivation(made.decision, sent.event, user) }
        guard isHeard(.decision), !made.decision.isError else { return }
        announceDecision("flag", user) { made.decision.notification.map(Self.info) ?? [:] }
    }

    /// That a user was given a variation of an experiment or a delivery rule, and its event. Holdouts and forced
    /// decisions for a whole flag are not announced.
    func announceActivation(_ decision: Decision, _ event: OutgoingEvent, _ user: UserContent) {
        guard isHeard(.activate), let rule = decision.rule, rule.kind != .holdout, let variation = decision.variation
        else { return }
        announce(.activate) {
            [
                ["key": rule.key, "id": rule.id], user.id, user.attributes, ["key": variation.key, "id": variation.id],
                Self.info(event),
            ]
        }
    }

    /// A conversion and its event.
    func announceConversion(
        _ eventKey: String, _ user: UserContent, _ tags: OptimizelyEventTags?, _ event: OutgoingEvent
    ) {
        let tags = Handed(tags)
        announce(.track) { [eventKey, user.id, user.attributes, tags.value, Self.info(event)] }
    }

    /// That the client decides by another datafile from now on.
    func announceDatafile(_ datafile: Data) { announce(.datafileChange) { [datafile] } }

    // MARK: What they carry

    private static func info(_ event: OutgoingEvent) -> [String: Any] {
        let event = EventForDispatch(event)
        return ["url": event.url, "body": event.body]
    }

    private static func info(_ notification: DecisionNotification) -> [String: Any] {
        [
            "flagKey": notification.flagKey, "enabled": notification.isEnabled,
            "variables": OptimizelyJSON(notification.variables).toMap(),
            "variationKey": notification.variationKey ?? NSNull(), "ruleKey": notification.ruleKey ?? NSNull(),
            "reasons": notification.reasons.map(\.description),
            "decisionEventDispatched": notification.isEventDispatched,
            "experimentId": notification.experimentID ?? NSNull(), "variationId": notification.variationID ?? NSNull(),
        ]
    }
}
