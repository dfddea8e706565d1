/// What a client works with, and how. Everything has a default; change what you need before the client is made.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.profiles = .memory
/// configuration.log = .standardError(level: .info)
/// let client = try Client(datafile: bytes, configuration)
/// ```
public struct ClientConfiguration: Sendable {
    // MARK: The outside world

    /// Where datafiles come from, for ``Client/start()`` and polling. Default: nowhere, the program hands them in.
    public var datafiles: (any DatafileSource)?
    /// Remembers assignments, so that users keep their variation when traffic changes. Default: nothing is remembered;
    /// a user's decisions are the same as long as the datafile is.
    public var profiles: (any ProfileStore)?
    /// Predicts variations for contextual bandits. Default: nobody, their rules are passed over.
    public var predictions: (any PredictionSource)?
    /// Knows the segments of users, such as ``SegmentSource/odp(transport:)``. Default: nobody; segments can be set by
    /// hand.
    public var segments: (any SegmentSource)?
    /// Keeps events until they are delivered. Default: in memory, up to 10,000.
    public var eventStore: any EventStore = .memory
    /// Keeps segment events until they are delivered; a store of its own. Default: in memory, up to 100.
    public var segmentEventStore: any EventStore = .memory(limit: 100)
    /// The data platform that gets segment events, whatever the datafile says; for questions see
    /// ``SegmentSource/odp(_:transport:)``. Default: the one that the datafile of the moment names, wherever that is.
    public var segmentEventService: OdpService?
    /// Sends events. Default: nobody; events wait in their store.
    public var transport: (any Transport)?
    /// Measures intervals and deadlines. Default: the system's clock.
    public var clock: any Clock<Duration> = .continuous
    /// Tells the time of events. Default: the system's.
    public var wallClock: any WallClock = .system
    /// Makes the ids of events. Default: the system's random numbers.
    public var random: any RandomSource = .system
    /// Where the client reports what it does. Default: warnings and errors to the standard error output.
    public var log: any Log = .standardError

    // MARK: Options

    /// Options of every decision, beside those of the call. Default: none.
    public var defaultOptions: DecideOptions = []
    /// The datafile that comes with the program, to start with if the source has none. Default: none.
    public var bundledDatafile: [UInt8]?
    /// Whether the bundled datafile goes before the kept one if it has a higher revision of the same project, as after
    /// an update of the program. Revisions that are no numbers are not compared. Default: false, the kept one goes
    /// first.
    public var prefersHigherRevision = false
    /// The only project whose datafiles are accepted. Default: any.
    public var projectID: String?
    /// How often to ask for a newer datafile; nil: never by itself. Default: nil.
    ///
    /// Each time is up to a tenth shorter or longer by chance, so that many clients do not ask all at once. One failure
    /// changes nothing, each further one in a row doubles the time, up to an hour, and it is no shorter than the server
    /// asks for; the first success ends that.
    public var pollingInterval: Duration?
    /// The shortest polling interval; a shorter one becomes this one, with a warning. For whoever runs the server of
    /// the datafiles. Default: 30 seconds.
    public var minimumPollingInterval = Duration.seconds(30)
    /// When and how events are delivered.
    public var events = EventOptions()
    /// How predictions are kept.
    public var predictionOptions = PredictionOptions()
    /// How segments are kept.
    public var segmentOptions = SegmentOptions()
    /// Variations that everybody gets. Default: none; ``DecisionOverrides/fromProcess()`` is for test builds.
    public var overrides = DecisionOverrides.none
    /// The id of this device, for segment events. Default: none, as it should be on a server.
    ///
    /// With one, the data platform is told of the device when a client is made, each segment event carries the id, and
    /// ``Client/identify(_:)`` has something to say.
    public var deviceID: DeviceID?
    /// The name that events carry. Default: `turnout`.
    public var clientName = "turnout"
    /// The version that events carry. Default: this library's.
    public var clientVersion = "0.1.0"

    /// For the drop-in interfaces, whose services are the caller's own.
    package var profileAccess: (any ProfileAccess)?
    package var eventSink: (any EventSink)?
    package var listenerQueue: ListenerQueue?
    /// Which datafiles can be used. Default: current ones.
    package var datafileFormat = DatafileFormat.current

    /// Creates the standard configuration.
    public init() {}

    /// A queue that delivers what an earlier process left.
    func startedQueue() -> EventQueue {
        let queue = EventQueue(store: eventStore, transport: transport, options: events, services: eventServices)
        queue.start()
        return queue
    }

    /// What the delivery of events works with.
    var eventServices: EventServices {
        var services = EventServices()
        services.clock = clock
        services.wallClock = wallClock
        services.random = random
        services.log = log
        return services
    }
}
