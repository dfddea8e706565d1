package import Foundation
package import TurnoutClient

/// What a client works with beside its caller's services.
package struct World: Sendable {
    /// Sends requests; nil: there is no network.
    package var transport: (any Transport)?
    /// Keeps what should outlast the process.
    package var storage: any Storage = MemoryStorage()
    /// Keeps the datafiles of the older interface.
    package var datafiles: any TurnoutClient.DatafileCache = .memory
    /// Predicts variations for contextual bandits. Default: the service that the client's settings name, over the
    /// transport; without one nobody can be reached.
    package var predictions: (any PredictionSource)?
    /// Measures intervals and deadlines.
    package var clock: any Clock<Duration> = .continuous
    /// Tells the time of events.
    package var wallClock: any WallClock = .system
    /// Makes the ids of events.
    package var random: any RandomSource = .system
    /// Where the system says that the app comes and goes.
    package var notifications: NotificationCenter = .default

    /// The system's clocks, chance and notifications; no network, and nothing outlasts the process.
    package init() {}

    /// The world of clients that are made now. The initializers of ``OptimizelyClient`` are the vendor's and have no
    /// room for it: a further designated one would cost subclasses the inherited ones.
    package static var current: World { chosen ?? standard.withLock { $0 } }

    /// The world of clients that a task makes; nil: the standard one.
    @TaskLocal package static var chosen: World?

    /// The world of everybody who chooses none. Only tests replace it, so that nothing they do leaves the process.
    package static let standard = Locked(World.outside)
}

extension World {
    /// Who predicts for a client.
    func predictionSource(for config: CmabConfig) -> any PredictionSource {
        if let predictions { return predictions }
        guard let transport else { return UnreachablePredictions() }
        var options = HTTPPredictionOptions()
        options.address = config.predictionEndpoint
        options.clock = clock
        return .http(transport: transport, options: options)
    }
}

/// A prediction service without a network. Asking fails, as it does for the vendor's client.
struct UnreachablePredictions: PredictionSource {
    func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        throw TransportError(.unreachable, "no network transport")
    }
}
