/// Tells listeners what a client does.
public protocol OPTNotificationCenter {
    /// Creates a center without listeners.
    init()

    /// The id of the next listener.
    var notificationId: Int { get set }

    /// Adds a listener for notifications of any type, also of one's own.
    ///
    /// - Returns: The listener's id, or nil: it was not added.
    func addGenericNotificationListener(notificationType: Int, listener: @escaping GenericListener) -> Int?

    /// Adds a listener for users who are given variations; returns its id.
    func addActivateNotificationListener(activateListener: @escaping ActivateListener) -> Int?

    /// Adds a listener for conversions; returns its id.
    func addTrackNotificationListener(trackListener: @escaping TrackListener) -> Int?

    /// Adds a listener for decisions; returns its id.
    func addDecisionNotificationListener(decisionListener: @escaping DecisionListener) -> Int?

    /// Adds a listener for new datafiles; returns its id.
    func addDatafileChangeNotificationListener(datafileListener: @escaping DatafileChangeListener) -> Int?

    /// Adds a listener for batches of events; returns its id.
    func addLogEventNotificationListener(logEventListener: @escaping LogEventListener) -> Int?

    /// Removes the listener with an id.
    func removeNotificationListener(notificationId: Int)

    /// Removes all listeners of a type.
    func clearNotificationListeners(type: NotificationType)

    /// Removes all listeners.
    func clearAllNotificationListeners()

    /// Calls the listeners of a type.
    func sendNotifications(type: Int, args: [Any?])
}
