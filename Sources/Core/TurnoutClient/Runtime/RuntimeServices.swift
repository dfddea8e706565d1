/// The services of a ``DecisionRuntime``. Each client interface creates them from its own configuration.
package struct RuntimeServices: Sendable {
    /// Loads and commits assignments. Default: nil, assignments are not stored.
    package var profiles: (any ProfileAccess)?
    /// Receives the event of each impression and conversion. Default: nil, the caller delivers them itself.
    package var events: (any EventSink)?
    /// Predicts variations for contextual bandits. Default: nil, their rules are skipped.
    package var predictions: (any PredictionSource)?
    package var predictionOptions = PredictionOptions()
    /// Measures deadlines. Default: the system's clock.
    package var clock: any Clock<Duration> = .continuous
    /// Provides the timestamps of events. Default: the system's.
    package var wallClock: any WallClock = .system
    /// Generates the ids of events. Default: the system's random numbers.
    package var random: any RandomSource = .system
    /// Receives warnings and errors. Default: the standard error output.
    package var log: any Log = .standardError
    /// Called for the events of impressions, except those of legacy calls. Default: nil.
    var hooks: HookChain?
    /// Options of every decision, in addition to those of the call. Default: none.
    package var defaultOptions: DecideOptions = []
    /// Variations for all users. Default: none.
    package var overrides = DecisionOverrides.none
    /// The client name in events.
    package var clientName = "turnout"
    /// The client version in events.
    package var clientVersion = LibraryVersion.current
    /// The only project whose datafiles are accepted. Default: nil, any project.
    package var projectID: String?
    /// The accepted versions of datafiles. Default: the current one.
    package var datafileFormat = DatafileFormat.current
    /// Called after a datafile was installed or removed, before the next one can be. It must not install another.
    package var onInstall: @Sendable (DecisionRuntime) -> Void = { _ in }

    /// Creates services without stores and outputs.
    package init() {}
}
