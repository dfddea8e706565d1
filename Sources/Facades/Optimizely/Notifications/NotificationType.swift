/// What a notification is about.
public enum NotificationType: Int, Sendable {
    /// A user was given a variation.
    case activate = 1
    /// A conversion.
    case track
    /// A datafile came into use.
    case datafileChange
    /// A decision.
    case decision
    /// A batch of events is on its way.
    case logEvent
}
