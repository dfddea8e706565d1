package import TurnoutClient
package import TurnoutEngine

/// The dependencies of a server: everything that differs between production and tests.
package struct ServerAdapters: Sendable {
    package var listener: any HTTPListener
    package var cryptography: any Cryptography
    package var storage: ServerStorage
    /// Expands compressed bodies of requests. Default: nil, they are read as they are.
    package var decompressor: (any Decompressor)?
    /// Compresses datafiles and responses with gzip. Default: none, they are sent as they are.
    package var compress: @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }
    /// Stores assignments. Default: in memory.
    package var profiles: any ProfileStore = MemoryProfileStore()
    /// Receives the impressions and conversions of decisions. Default: nil, the log of events does.
    package var events: (any EventSink)?
    /// Sends events to another intake. Default: nil, they are not forwarded.
    package var eventTransport: (any Transport)?
    /// Predicts variations for contextual bandits. Default: nil, the server does, from the events that it has.
    package var predictions: (any PredictionSource)?
    /// Looks up users' segments. Default: nil, requests for segments fail.
    package var segments: AgentSegments?
    /// Takes an event for the data platform of a datafile. Default: nil, such events are refused.
    package var sendSegmentEvent: (@Sendable (SegmentEvent, Project) -> EventAcceptance)?
    /// Other stores for assignments by name, one of which a request to the Agent's interface may choose. Default: none.
    package var namedProfiles: [String: any ProfileStore] = [:]
    /// Creates the source of an SDK key's datafile on another server. Default: nil, there is no other server.
    package var upstream: (@Sendable (String) -> any DatafileSource)?
    /// Sends requests to the hub that the configuration names. Default: nil; then the server has none.
    package var hub: HubTransport?
    /// The project file, for pages that show and change it. Default: nil; they show the datafiles.
    package var flagsFile: (any FlagsFile)?
    /// The contributions of adapters to the readiness, the status and the metrics. Default: none.
    package var reports: [ServiceReport] = []
    package var log: StructuredLog
    /// Measures time. Default: the system's clock.
    package var clock: any Clock<Duration> = .continuous
    /// Provides the time of day. Default: the system's.
    package var wallClock: any WallClock = .system
    /// Generates ids. Default: the system's random numbers.
    package var random: any RandomSource = .system

    package init(
        listener: any HTTPListener, cryptography: any Cryptography, storage: ServerStorage, log: StructuredLog
    ) {
        self.listener = listener
        self.cryptography = cryptography
        self.storage = storage
        self.log = log
    }
}
