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
