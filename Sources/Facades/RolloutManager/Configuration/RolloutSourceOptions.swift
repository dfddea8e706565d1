public import TurnoutClient

/// How a ``RolloutConfigurationSource`` loads.
public struct RolloutSourceOptions: Sendable {
    /// The longest time until a server's answer is complete. Default: 10 seconds.
    public var deadline = Duration.seconds(10)
    /// The largest configuration that is accepted, in bytes. Default: 1 MiB.
    public var maximumSize = 1 << 20
    /// The shortest time between two refreshes; a shorter interval becomes this one. Default: 30 seconds.
    public var minimumInterval = Duration.seconds(30)
    /// Measures the time between two refreshes. Default: the system's clock.
    public var clock: any Clock<Duration> = .continuous
    /// Varies that time, so that devices do not ask all at once. Default: the system's random numbers.
    public var random: any RandomSource = .system
    /// Where warnings about configurations and trouble are reported. Default: the standard error output.
    public var log: any Log = .standardError

    /// Creates the standard options; change what you need.
    public init() {}
}
