import Foundation
import Synchronization
import TurnoutClient

/// The default notification center. Calls listeners on the thread that sends a notification, in the order in which they
/// were added.
///
/// Listeners may add and remove listeners; the change takes effect with the next notification.
public final class DefaultNotificationCenter: OPTNotificationCenter, Sendable {
    // @unchecked Sendable because closures are called from any thread, which their authors know; the interface predates
    // `@Sendable`.
    private struct Listener: @unchecked Sendable {
        let id: Int
        let type: Int
        let call: ([Any?]) -> Void
    }

    private struct Table {
        var nextID = 1
        var listeners: [Listener] = []
    }

    private let table = Locked(Table())
    /// The number of listeners; read with every decision, so without a lock.
    private let listenerCount = Atomic(0)

    /// Called once, before the first listener for event requests is added.
    let observesRequests = Locked<(@Sendable () -> Void)?>(nil)

    /// Creates a center without listeners.
    required public init() {}

    /// The id of the next listener. Setting it has no effect.
    public var notificationId: Int {
        get { table.withLock { $0.nextID } }
        set {}
    }

    // MARK: Adding

    /// Adds a listener for notifications of a type. It receives one element: the array of the arguments. Returns its
    /// id.
    public func addGenericNotificationListener(
        notificationType: Int, listener: @escaping GenericListener
    ) -> Int? {
        add(notificationType) { listener($0) }
    }

    /// Adds a listener for impressions; returns its id.
    public func addActivateNotificationListener(activateListener: @escaping ActivateListener) -> Int? {
        add(.activate) { args in
            guard args.count >= 5, let experiment = args[0] as? OptimizelyExperimentData,
                let userId = args[1] as? String, let attributes = OptionalArgument<OptimizelyAttributes>(args[2]),
                let variation = args[3] as? OptimizelyVariationData, let event = args[4] as? [String: Any]
            else { return }
            activateListener(experiment, userId, attributes.value, variation, event)
        }
    }

    /// Adds a listener for conversions; returns its id.
    public func addTrackNotificationListener(trackListener: @escaping TrackListener) -> Int? {
        add(.track) { args in
            guard args.count >= 5, let eventKey = args[0] as? String, let userId = args[1] as? String,
                let attributes = OptionalArgument<OptimizelyAttributes>(args[2]),
                let tags = OptionalArgument<[String: Any]>(args[3]),
                let event = args[4] as? [String: Any]
            else { return }
            trackListener(eventKey, userId, attributes.value, tags.value, event)
        }
    }

    /// Adds a listener for decisions; returns its id.
    public func addDecisionNotificationListener(decisionListener: @escaping DecisionListener) -> Int? {
        add(.decision) { args in
            guard args.count >= 4, let type = args[0] as? String, let userId = args[1] as? String,
                let attributes = OptionalArgument<OptimizelyAttributes>(args[2]), let info = args[3] as? [String: Any]
            else { return }
            decisionListener(type, userId, attributes.value, info)
        }
    }

    /// Adds a listener for changes of the datafile; returns its id.
    public func addDatafileChangeNotificationListener(
        datafileListener: @escaping DatafileChangeListener
    ) -> Int? {
        add(.datafileChange) { args in
            if let datafile = args.first as? Data { datafileListener(datafile) }
        }
    }

    /// Adds a listener for event requests; returns its id.
    public func addLogEventNotificationListener(logEventListener: @escaping LogEventListener) -> Int? {
        add(.logEvent) { args in
            guard args.count >= 2, let url = args[0] as? String, let event = args[1] as? [String: Any] else { return }
            logEventListener(url, event)
        }
    }

    private func add(_ type: NotificationType, _ call: @escaping ([Any?]) -> Void) -> Int? {
        add(type.rawValue, call)
    }

    private func add(_ type: Int, _ call: @escaping ([Any?]) -> Void) -> Int? {
        let draft = Listener(id: 0, type: type, call: call)
        if type == NotificationType.logEvent.rawValue { observesRequests.withLock { $0.take() }?() }
        return table.withLock { table in
            let id = table.nextID
            table.nextID += 1
            table.listeners.append(Listener(id: id, type: type, call: draft.call))
            listenerCount.store(table.listeners.count, ordering: .relaxed)
            return id
        }
    }

    // MARK: Removing

    /// Removes the listener with an id.
    public func removeNotificationListener(notificationId: Int) {
        remove { $0.id == notificationId }
    }

    /// Removes all listeners of a type.
    public func clearNotificationListeners(type: NotificationType) {
        remove { $0.type == type.rawValue }
    }

    /// Removes all listeners.
    public func clearAllNotificationListeners() { remove { _ in true } }

    private func remove(where isUnwanted: (Listener) -> Bool) {
        // Released outside the lock, because deinitializers of captured objects may call this center.
        let all = table.withLock { table in
            let all = table.listeners
            table.listeners.removeAll(where: isUnwanted)
            listenerCount.store(table.listeners.count, ordering: .relaxed)
            return all
        }
        withExtendedLifetime(all) {}
    }

    // MARK: Sending

    /// Whether a type has listeners, so that arguments are only built if needed.
    package func hasListeners(for type: Int) -> Bool {
        guard listenerCount.load(ordering: .relaxed) > 0 else { return false }
        return table.withLock { $0.listeners.contains { $0.type == type } }
    }

    /// Calls the listeners of a type. Typed listeners are skipped if the arguments do not match.
    public func sendNotifications(type: Int, args: [Any?]) {
        for listener in table.withLock({ $0.listeners }) where listener.type == type { listener.call(args) }
    }
}

/// An optional argument that, if present, must be a `Value`.
private struct OptionalArgument<Value> {
    let value: Value?

    init?(_ argument: Any?) {
        guard let argument else {
            value = nil
            return
        }
        // A nil wrapped in `Any` is cast to a nil `Value?`.
        guard let value = argument as? Value? else { return nil }
        self.value = value
    }
}
