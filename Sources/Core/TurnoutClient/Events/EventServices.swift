/// The services for event delivery.
package struct EventServices: Sendable {
    /// Measures intervals and delays.
    package var clock: any Clock<Duration> = .continuous
    /// Provides the time to compute the age of events.
    package var wallClock: any WallClock = .system
    /// Provides the jitter of delays.
    package var random: any RandomSource = .system
    /// Receives log messages.
    package var log: any Log = .standardError

    /// Creates the system's services.
    package init() {}
}
