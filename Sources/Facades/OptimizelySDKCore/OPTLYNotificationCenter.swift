import Foundation
import Optimizely
import TurnoutClient

/// The type of a notification.
public enum OPTLYNotificationType: UInt, Sendable {
    /// An impression: a user was given a variation.
    case activate = 0
    /// A conversion.
    case track = 1
    /// A decision.
    case decision = 2
}

/// Receives impressions: a user was given a variation, with the event that is sent.
public typealias ActivateListener = (
    _ experiment: OPTLYExperiment, _ userId: String, _ attributes: [String: Any]?, _ variation: OPTLYVariation,
    _ event: [String: Any]
) -> Void

/// Receives conversions, with the event that is sent.
public typealias TrackListener = (
    _ eventKey: String, _ userId: String, _ attributes: [String: Any]?, _ eventTags: [AnyHashable: Any]?,
    _ event: [String: Any]
) -> Void

/// Receives decisions: the type (`ab-test`, `feature-test`, `feature`, `feature-variable`) and the decision info.
public typealias DecisionListener = (
    _ type: String, _ userId: String, _ attributes: [String: Any]?, _ decisionInfo: [String: Any]
) -> Void

// @unchecked Sendable because its mutable state is behind a lock.
/// Calls the listeners of one client synchronously, on the thread that decides or tracks.
///
/// The client created by the next `initialize` has its own center, without listeners.
open class OPTLYNotificationCenter: NSObject, @unchecked Sendable {
    private struct Listener {
        let id: UInt
        let type: OPTLYNotificationType
        let call: UncheckedSendable<([AnyHashable: Any]) -> Void>
    }

    private struct Table {
        var lastID: UInt = 0
        var listeners: [Listener] = []
    }

    private let table = Locked(Table())

    /// Creates a center without listeners.
    override public init() {}

    /// The id of the listener that was added last; 0 if none was.
    open var notificationId: UInt { table.withLock { $0.lastID } }

    // MARK: Adding

    /// Adds a listener for impressions; returns its id.
    @discardableResult
    open func addActivateNotificationListener(_ listener: @escaping ActivateListener) -> Int {
        add(.activate) { args in
            guard let experiment = args["experiment"] as? OPTLYExperiment, let user = args["userId"] as? String,
                let variation = args["variation"] as? OPTLYVariation, let event = args["event"] as? [String: Any]
            else { return }
            listener(experiment, user, args["attributes"] as? [String: Any], variation, event)
        }
    }

    /// Adds a listener for conversions; returns its id.
    @discardableResult
    open func addTrackNotificationListener(_ listener: @escaping TrackListener) -> Int {
        add(.track) { args in
            guard let key = args["eventKey"] as? String, let user = args["userId"] as? String,
                let event = args["event"] as? [String: Any]
            else { return }
            listener(
                key, user, args["attributes"] as? [String: Any], args["eventTags"] as? [AnyHashable: Any], event)
        }
    }

    /// Adds a listener for decisions; returns its id. If there are no attributes, it receives an empty dictionary.
    @discardableResult
    open func addDecisionNotificationListener(_ listener: @escaping DecisionListener) -> Int {
        add(.decision) { args in
            guard let type = args["type"] as? String, let user = args["userId"] as? String,
                let info = args["decisionInfo"] as? [String: Any]
            else { return }
            listener(type, user, args["attributes"] as? [String: Any] ?? [:], info)
        }
    }

    private func add(_ type: OPTLYNotificationType, _ call: @escaping ([AnyHashable: Any]) -> Void) -> Int {
        table.withLock { [call = UncheckedSendable(call)] table in
            table.lastID += 1
            table.listeners.append(Listener(id: table.lastID, type: type, call: call))
            return Int(table.lastID)
        }
    }

    // MARK: Removing

    /// Removes the listener with an id. Returns whether there was one.
    @discardableResult
    open func removeNotificationListener(_ notificationId: UInt) -> Bool { remove { $0.id == notificationId } }

    /// Removes all listeners of a type.
    open func clearNotificationListeners(_ type: OPTLYNotificationType) { remove { $0.type == type } }

    /// Removes all listeners.
    open func clearAllNotificationListeners() { remove { _ in true } }

    @discardableResult
    private func remove(where isUnwanted: (Listener) -> Bool) -> Bool {
        // Released outside the lock, because deinitializers of captured objects may call this center.
        let (before, after) = table.withLock { table in
            let before = table.listeners
            table.listeners.removeAll(where: isUnwanted)
            return (before, table.listeners.count)
        }
        return before.count > after
    }

    // MARK: Sending

    /// Whether a type has listeners, so that arguments are only built if needed.
    func hasListeners(_ type: OPTLYNotificationType) -> Bool {
        table.withLock { $0.listeners.contains { $0.type == type } }
    }

    /// Calls the listeners of a type with the arguments by name, such as `userId`; a listener is skipped if one of its
    /// required arguments is missing.
    open func sendNotifications(_ type: OPTLYNotificationType, args: [AnyHashable: Any]?) {
        let listeners = table.withLock { $0.listeners.filter { $0.type == type } }
        for listener in listeners { listener.call.value(args ?? [:]) }
    }
}
