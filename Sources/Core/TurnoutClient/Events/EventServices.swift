/// What the delivery of events works with.
package struct EventServices: Sendable {
    /// Measures intervals and pauses.
    package var clock: any Clock<Duration> = .continuous
    /// Tells how old events are.
    package var wallClock: any WallClock = .system
    /// Makes pauses differ.
    package var random: any RandomSource = .system
    /// Where trouble is reported.
    package var log: any Log = .standardError

    /// The system's clocks and chance; change what you need.
    package init() {}
}
