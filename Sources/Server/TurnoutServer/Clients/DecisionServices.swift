package import TurnoutClient
import TurnoutEngine

/// Services shared by all deciding clients of a server.
package struct DecisionServices: Sendable {
    /// Stores assignments. Default: nil, they are not stored.
    package var profiles: (any ProfileStore)?
    /// Other stores by name, one of which a request may choose for its SDK key. Default: none.
    package var namedProfiles: [String: any ProfileStore] = [:]
    /// Predicts variations for contextual bandits. Default: nil, their rules are skipped.
    package var predictions: (any PredictionSource)?
    package var predictionOptions = PredictionOptions()
    /// Receives impressions and conversions. Default: nil, they are dropped.
    package var events: (any EventSink)?
    /// The longest time that a decision waits for predictions and profiles. Default: 10 seconds.
    package var timeLimit = Duration.seconds(10)
    /// Measures time. Default: the system's clock.
    package var clock: any Clock<Duration> = .continuous
    /// Provides the timestamps of events. Default: the system's.
    package var wallClock: any WallClock = .system
    /// Generates the ids of events and requests. Default: the system's random numbers.
    package var random: any RandomSource = .system
    /// Receives warnings and errors. Default: the standard error output.
    package var log: any Log = .standardError

    /// Creates services without stores and outputs.
    package init() {}
}

extension DecisionServices {
    /// The services of the runtime for an SDK key.
    func runtimeServices(profiles: (any ProfileStore)?) -> RuntimeServices {
        var services = RuntimeServices()
        // A store over a network tells the log itself when it fails.
        services.profiles = profiles.map { StoreAccess($0, log: $0 is NetworkProfileStore ? .silent : log) }
        services.events = events
        services.predictions = predictions
        services.predictionOptions = predictionOptions
        services.clock = clock
        services.wallClock = wallClock
        services.random = random
        services.log = log
        services.clientName = "turnout-server"
        return services
    }
}
