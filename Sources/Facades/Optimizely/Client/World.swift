package import TurnoutClient

/// What a client works with beside its caller's services.
package struct World: Sendable {
    /// Sends requests; nil: there is no network.
    package var transport: (any Transport)?
    /// Predicts variations for contextual bandits. Default: nobody can be reached.
    package var predictions: any PredictionSource = UnreachablePredictions()
    /// Measures intervals and deadlines.
    package var clock: any Clock<Duration> = .continuous
    /// Tells the time of events.
    package var wallClock: any WallClock = .system
    /// Makes the ids of events.
    package var random: any RandomSource = .system

    /// The system's clocks and chance, and no network.
    package init() {}

    /// The world of clients that are made now. The initializers of ``OptimizelyClient`` are the vendor's and have no
    /// room for it: a further designated one would cost subclasses the inherited ones.
    @TaskLocal package static var current = World()
}

/// A prediction service without a network. Asking fails, as it does for the vendor's client.
struct UnreachablePredictions: PredictionSource {
    func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        throw TransportError(.unreachable, "no network transport")
    }
}
