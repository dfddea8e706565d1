public import Foundation

/// A service that calls listeners for the decisions, events and datafile changes of a client.
///
/// A client only calls ``sendNotifications(type:args:)``; the other methods are for the program. It calls the method
/// off the thread that decided, for one notification after the other, and for all types, because it does not know which
/// have listeners. Listeners that block hold up later notifications; when too many wait, further ones are lost.
///
/// ``DefaultNotificationCenter`` is the standard center; a client builds no arguments for types that have no listener
/// there. To use another one, set ``OptimizelyClient/notificationCenter``.
public protocol OPTNotificationCenter {
    /// Creates a center without listeners.
    init()

    /// The id of the next listener.
    var notificationId: Int { get set }

    /// Adds a listener for notifications of a type, which may be a custom one.
    ///
    /// - Returns: The listener's id, or nil if it was not added.
    func addGenericNotificationListener(notificationType: Int, listener: @escaping GenericListener) -> Int?

    /// Adds a listener for impressions; returns its id.
    func addActivateNotificationListener(activateListener: @escaping ActivateListener) -> Int?

    /// Adds a listener for conversions; returns its id.
    func addTrackNotificationListener(trackListener: @escaping TrackListener) -> Int?

    /// Adds a listener for decisions; returns its id.
    func addDecisionNotificationListener(decisionListener: @escaping DecisionListener) -> Int?

    /// Adds a listener for changes of the datafile; returns its id.
    func addDatafileChangeNotificationListener(datafileListener: @escaping DatafileChangeListener) -> Int?

    /// Adds a listener for event requests; returns its id.
    func addLogEventNotificationListener(logEventListener: @escaping LogEventListener) -> Int?

    /// Removes the listener with an id.
    func removeNotificationListener(notificationId: Int)

    /// Removes all listeners of a type.
    func clearNotificationListeners(type: NotificationType)

    /// Removes all listeners.
    func clearAllNotificationListeners()

    /// Calls the listeners of a type with the arguments, in the order of the typed listeners' parameters.
    func sendNotifications(type: Int, args: [Any?])
}

/// The type of a notification.
public enum NotificationType: Int, Sendable {
    /// An impression: a user was given a variation.
    case activate = 1
    /// A conversion.
    case track
    /// Another datafile took effect.
    case datafileChange
    /// A decision.
    case decision
    /// A request with events is about to be sent.
    case logEvent
}

/// An experiment in a notification: its `key` and `id`.
public typealias OptimizelyExperimentData = [String: Any]

/// A variation in a notification: its `key` and `id`.
public typealias OptimizelyVariationData = [String: Any]

/// Receives the arguments of a notification as one element, an array.
public typealias GenericListener = (Any...) -> Void

/// Receives impressions: a user was given a variation, with the event that is sent (`url` and `body`).
public typealias ActivateListener = (
    _ experiment: OptimizelyExperimentData, _ userId: String, _ attributes: OptimizelyAttributes?,
    _ variation: OptimizelyVariationData, _ event: [String: Any]
) -> Void

/// Receives conversions, with the event that is sent (`url` and `body`).
public typealias TrackListener = (
    _ eventKey: String, _ userId: String, _ attributes: OptimizelyAttributes?, _ eventTags: [String: Any]?,
    _ event: [String: Any]
) -> Void

/// Receives decisions: the type (`flag`, `feature`, `ab-test` …) and the decision info.
public typealias DecisionListener = (
    _ type: String, _ userId: String, _ attributes: OptimizelyAttributes?, _ decisionInfo: [String: Any]
) -> Void

/// Receives the datafile that took effect.
public typealias DatafileChangeListener = (_ datafile: Data) -> Void

/// Receives event requests before each attempt: the URL and the payload.
public typealias LogEventListener = (_ url: String, _ event: [String: Any]) -> Void
