package import TurnoutClient

/// What the ODP classes work with. A client hands it to its manager; without one, nothing reaches a network.
package struct OdpServices: Sendable {
    /// Sends requests; nil: events wait, and segments cannot be fetched.
    package var transport: (any Transport)?
    /// Measures pauses and the age of what is kept.
    package var clock: any Clock<Duration> = .continuous
    /// Makes the ids of events.
    package var random: any RandomSource = .system
    /// Where trouble is reported.
    package var log: any Log = .standardError
    /// What events tell about this program and machine.
    package var origin = SegmentEventOrigin.here(source: "swift-sdk", sourceVersion: "5.4.2")

    /// Services without a transport; change what you need.
    package init() {}
}

extension Duration {
    /// A time limit from settings: nil is the standard, zero and less the limit that systems set by themselves.
    static func odpLimit(_ seconds: Int?) -> Duration {
        guard let seconds else { return .seconds(10) }
        return .seconds(seconds > 0 ? seconds : 60)
    }
}
