import Foundation
import Synchronization
import TurnoutClient

/// Sends a client's notifications to its notification center, one after the other, off the thread that decided.
///
/// No arguments are built for a default center without listeners.
final class NotificationDispatcher: Sendable {
    /// Builds the arguments of a notification when it is sent.
    typealias Arguments = @Sendable () -> [Any?]

    let queue: ListenerQueue
    private let endpoints: EventAddresses
    private let standard: DefaultNotificationCenter
    private let current: Locked<UncheckedSendable<(any OPTNotificationCenter)?>>
    /// Whether ``current`` is ``standard``; read with every decision, so without a lock.
    private let isStandard = Atomic(true)

    init(_ center: DefaultNotificationCenter, queue: ListenerQueue, endpoints: EventAddresses) {
        standard = center
        self.endpoints = endpoints
        self.queue = queue
        current = Locked(UncheckedSendable(center))
    }

    var center: (any OPTNotificationCenter)? {
        get { current.withLock { $0 }.value }
        set {
            let new = UncheckedSendable(newValue)
            // The old center is released outside the lock: its deinitializer may call this object.
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

    /// Whether notifications of a type may have listeners.
    @inline(__always)
    func hasListeners(_ type: NotificationType) -> Bool {
        !isStandard.load(ordering: .relaxed) || standard.hasListeners(for: type.rawValue)
    }

    func send(_ type: NotificationType, _ arguments: @escaping Arguments) {
        guard hasListeners(type) else { return }
        queue.add { [self] in center?.sendNotifications(type: type.rawValue, args: arguments()) }
    }

    // MARK: The notifications

    /// Notifies of a decision of a call that predates flags.
    func sendDecision(
        _ type: String, _ user: UserContent, _ info: @escaping @Sendable () -> [String: Any]
    ) {
        send(.decision) { [type, user.id, user.attributes ?? [:], info()] }
    }

    /// Notifies of a decision for a flag, unless it is an error.
    @inline(__always)
    func sendFlagDecision(_ decision: Decision, _ sent: ImpressionEvent?, _ user: UserContent) {
        if let sent { sendActivation(decision, sent.event, user) }
        guard hasListeners(.decision), !decision.isError else { return }
        sendDecision("flag", user) { decision.notification.map(Self.info) ?? [:] }
    }

    /// Notifies of an impression for an experiment or a rollout rule, but not for a holdout or a forced decision for a
    /// whole flag.
    func sendActivation(_ decision: Decision, _ event: OutgoingEvent, _ user: UserContent) {
        guard hasListeners(.activate), let rule = decision.rule, rule.kind != .holdout,
            let variation = decision.variation
        else { return }
        send(.activate) { [endpoints] in
            [
                ["key": rule.key, "id": rule.id], user.id, user.attributes, ["key": variation.key, "id": variation.id],
                Self.info(event, endpoints),
            ]
        }
    }

    /// Notifies of a conversion and its event.
    func sendConversion(
        _ eventKey: String, _ user: UserContent, _ tags: OptimizelyEventTags?, _ event: OutgoingEvent
    ) {
        let tags = UncheckedSendable(tags)
        send(.track) { [endpoints] in
            [eventKey, user.id, user.attributes, tags.value, Self.info(event, endpoints)]
        }
    }

    /// Notifies of another datafile, which took effect.
    func sendDatafileChange(_ datafile: Data) { send(.datafileChange) { [datafile] } }

    // MARK: Arguments

    private static func info(_ event: OutgoingEvent, _ endpoints: EventAddresses) -> [String: Any] {
        let event = EventForDispatch(event, to: endpoints)
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
