package import TurnoutClient

/// The services of the ODP classes. A client sets them on its manager; without a client, nothing is sent.
package struct OdpServices: Sendable {
    /// Sends requests; if nil, events stay queued and segments cannot be fetched.
    package var transport: (any Transport)?
    /// The options for requests with a subclass's session. The transport has its own options.
    package var options = TransportOptions()
    /// Measures retry delays and cache ages.
    package var clock: any Clock<Duration> = .continuous
    /// Generates the ids of events.
    package var random: any RandomSource = .system
    package var log: any Log = .standardError
    /// The default data of events: program and machine.
    package var origin = SegmentEventOrigin.here(
        source: OptimizelySdkSettings.standardName, sourceVersion: OptimizelySdkSettings.standardVersion)

    /// Creates services without a transport; set properties as needed.
    package init() {}
}

extension Duration {
    /// A time limit from settings: nil means 10 seconds; zero or less means 60 seconds, the system's default.
    static func odpLimit(_ seconds: Int?) -> Duration {
        guard let seconds else { return .seconds(10) }
        return .seconds(seconds > 0 ? seconds : 60)
    }
}
