public import TurnoutClient

/// The options of a ``RolloutConfigurationSource``.
public struct RolloutSourceOptions: Sendable {
    /// The time limit for a server's complete response. Default: 10 seconds.
    public var deadline = Duration.seconds(10)
    /// The maximum size of a configuration, in bytes. Default: 1 MiB.
    public var maximumSize = 1 << 20
    /// The minimum interval between two refreshes; a shorter interval is raised to it. Default: 30 seconds.
    public var minimumInterval = Duration.seconds(30)
    /// The clock for the interval between two refreshes. Default: the system's clock.
    public var clock: any Clock<Duration> = .continuous
    /// The source of randomness that varies the interval, so that devices do not refresh simultaneously. Default: the
    /// system's random numbers.
    public var random: any RandomSource = .system
    /// The log for warnings about configurations and for errors. Default: standard error.
    public var log: any Log = .standardError

    /// Creates the standard options.
    public init() {}
}
