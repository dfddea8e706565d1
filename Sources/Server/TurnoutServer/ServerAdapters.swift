package import TurnoutClient

/// What a server gets from outside: everything that differs between production and tests.
package struct ServerAdapters: Sendable {
    /// Accepts connections.
    package var listener: any HTTPListener
    /// Verifies tokens and signatures.
    package var cryptography: any Cryptography
    /// Expands compressed bodies of requests. Default: nil, they are read as they are.
    package var decompressor: (any Decompressor)?
    /// Compresses datafiles with gzip. Default: none, they are served as they are.
    package var compress: @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }
    /// Stores assignments. Default: in memory.
    package var profiles: any ProfileStore = MemoryProfileStore()
    /// Receives the impressions and conversions of decisions. Default: nil, they are dropped.
    package var events: (any EventSink)?
    /// Predicts variations for contextual bandits. Default: nil, their rules are skipped.
    package var predictions: (any PredictionSource)?
    /// What adapters contribute to the readiness, the status and the metrics. Default: nothing.
    package var reports: [ServiceReport] = []
    /// Receives log entries.
    package var log: StructuredLog
    /// Measures time. Default: the system's clock.
    package var clock: any Clock<Duration> = .continuous
    /// Provides the time of day. Default: the system's.
    package var wallClock: any WallClock = .system
    /// Generates ids. Default: the system's random numbers.
    package var random: any RandomSource = .system

    /// Creates adapters.
    package init(listener: any HTTPListener, cryptography: any Cryptography, log: StructuredLog) {
        self.listener = listener
        self.cryptography = cryptography
        self.log = log
    }
}
