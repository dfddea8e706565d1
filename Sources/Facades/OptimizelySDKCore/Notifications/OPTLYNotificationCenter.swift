import Foundation
import Optimizely
import TurnoutClient

/// What a notification is about.
public enum OPTLYNotificationType: UInt, Sendable {
    /// A user was given a variation.
    case activate = 0
    /// A conversion.
    case track = 1
    /// A decision.
    case decision = 2
}

/// Is told that a user was given a variation, with the event that is sent.
public typealias ActivateListener = (
    _ experiment: OPTLYExperiment, _ userId: String, _ attributes: [String: Any]?, _ variation: OPTLYVariation,
    _ event: [String: Any]
) -> Void

/// Is told of a conversion, with the event that is sent.
public typealias TrackListener = (
    _ eventKey: String, _ userId: String, _ attributes: [String: Any]?, _ eventTags: [AnyHashable: Any]?,
    _ event: [String: Any]
) -> Void

/// Is told of a decision: its type (`ab-test`, `feature-test`, `feature`, `feature-variable`) and what was decided.
public typealias DecisionListener = (
    _ type: String, _ userId: String, _ attributes: [String: Any]?, _ decisionInfo: [String: Any]
) -> Void

// @unchecked Sendable because what changes is behind a lock.
/// Calls the listeners of one client, on the thread that decides or tracks, before the call returns.
///
/// A client that is made by the next `initialize` has a center of its own, without listeners.
open class OPTLYNotificationCenter: NSObject, @unchecked Sendable {
    private struct Listener {
        let id: UInt
        let type: OPTLYNotificationType
        let call: Handed<([AnyHashable: Any]) -> Void>
    }

    private struct Table {
        var lastID: UInt = 0
        var listeners: [Listener] = []
    }

    private let table = Locked(Table())

    /// Creates a center without listeners.
    override public init() {}

    /// The id of the listener that was added last; 0: none was.
    open var notificationId: UInt { table.withLock { $0.lastID } }

    // MARK: Adding

    /// Adds a listener for users who are given variations; returns its id.
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

    /// Adds a listener for decisions; returns its id. Without attributes it gets an empty dictionary.
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
        table.withLock { [call = Handed(call)] table in
            table.lastID += 1
            table.listeners.append(Listener(id: table.lastID, type: type, call: call))
            return Int(table.lastID)
        }
    }

    // MARK: Removing

    /// Removes the listener with an id. Whether there was one.
    @discardableResult
    open func removeNotificationListener(_ notificationId: UInt) -> Bool { remove { $0.id == notificationId } }

    /// Removes all listeners of a type.
    open func clearNotificationListeners(_ type: OPTLYNotificationType) { remove { $0.type == type } }

    /// Removes all listeners.
    open func clearAllNotificationListeners() { remove { _ in true } }

    @discardableResult
    private func remove(where isUnwanted: (Listener) -> Bool) -> Bool {
        // What listeners hold may come back here when it is released, so that happens outside the lock.
        let (before, after) = table.withLock { table in
            let before = table.listeners
            table.listeners.removeAll(where: isUnwanted)
            return (before, table.listeners.count)
        }
        return before.count > after
    }

    // MARK: Sending

    /// Whether somebody listens to a type, so that arguments need not be made for nobody.
    func isHeard(_ type: OPTLYNotificationType) -> Bool {
        table.withLock { $0.listeners.contains { $0.type == type } }
    }

    /// Calls the listeners of a type with the arguments by their names, such as `userId`; a listener that lacks one of
    /// them is passed over.
    open func sendNotifications(_ type: OPTLYNotificationType, args: [AnyHashable: Any]?) {
        let listeners = table.withLock { $0.listeners.filter { $0.type == type } }
        for listener in listeners { listener.call.value(args ?? [:]) }
    }
}
