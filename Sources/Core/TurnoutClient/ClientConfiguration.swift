/// The services and options of a client. Every property has a default.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.profiles = .memory
/// configuration.log = .standardError(level: .info)
/// let client = try FlagClient(datafile: bytes, configuration)
/// ```
public struct ClientConfiguration: Sendable {
    // MARK: Services

    /// The source of datafiles, for ``FlagClient/start()`` and polling. Default: nil; the program passes datafiles
    /// itself.
    public var datafiles: (any DatafileSource)?
    /// Stores assignments, so that users keep their variation when traffic changes. Default: nil; decisions depend only
    /// on the datafile.
    public var profiles: (any ProfileStore)?
    /// Predicts variations for contextual bandits. Default: nil; their rules are skipped.
    public var predictions: (any PredictionSource)?
    /// Fetches users' segments, for example ``SegmentSource/odp(transport:)``. Default: nil; the program sets segments
    /// itself.
    public var segments: (any SegmentSource)?
    /// Keeps events until they are delivered. Default: in memory, up to 10,000.
    public var eventStore: any EventStore = .memory
    /// Keeps segment events until they are delivered; must be a separate store. Default: in memory, up to 100.
    public var segmentEventStore: any EventStore = .memory(limit: 100)
    /// The data platform that receives segment events, regardless of the datafile. To fetch segments from it, see
    /// ``SegmentSource/odp(_:transport:)``. Default: nil; the platform in the current datafile, on any host.
    public var segmentEventService: OdpService?
    /// Sends events. Default: nil; events stay in their store.
    public var transport: (any Transport)?
    /// Measures intervals and deadlines. Default: the system's clock.
    public var clock: any Clock<Duration> = .continuous
    /// Provides the timestamps of events. Default: the system's.
    public var wallClock: any WallClock = .system
    /// Generates the ids of events. Default: the system's random numbers.
    public var random: any RandomSource = .system
    /// Receives log messages. Default: warnings and errors go to the standard error output.
    public var log: any Log = .standardError

    // MARK: Options

    /// Options of every decision, in addition to those of the call. Default: none.
    public var defaultOptions: DecideOptions = []
    /// The datafile that is bundled with the program, used at the start if the source has none. Default: nil.
    public var bundledDatafile: [UInt8]?
    /// Whether the bundled datafile takes precedence over the cached one if it has a higher revision of the same
    /// project, as after a program update. Revisions that are not numbers are not compared. Default: false; the cached
    /// one takes precedence.
    public var prefersHigherRevision = false
    /// The only project whose datafiles are accepted. Default: nil, any project.
    public var projectID: String?
    /// The time between two requests for a newer datafile. Default: nil; the client does not poll.
    ///
    /// Random jitter of up to a tenth keeps many clients from polling at once. From the second consecutive failure on,
    /// each failure doubles the interval, up to an hour, or up to five minutes while there is no datafile; it is never
    /// shorter than the server's `Retry-After`. A success resets it.
    public var pollingInterval: Duration?
    /// The minimum polling interval, which protects the datafile server. A shorter interval is raised to it, with a
    /// warning. Default: 30 seconds.
    public var minimumPollingInterval = Duration.seconds(30)
    /// The time after which a datafile that its source has not confirmed is stale. The client keeps deciding by it; its
    /// status, listeners and the log report it. Several polling intervals are a good choice. Default: nil, never.
    public var maximumDatafileAge: Duration?
    /// Whether decisions are counted by flag and variation, for ``FlagClient/metrics``. Each decision then takes a
    /// fraction of a microsecond longer. Default: false.
    public var countsDecisions = false
    /// When and how events are delivered.
    public var events = EventOptions()
    /// How predictions are cached.
    public var predictionOptions = PredictionOptions()
    /// How segments are cached.
    public var segmentOptions = SegmentOptions()
    /// Variations for all users. Default: none; ``DecisionOverrides/fromProcess()`` is for test builds.
    public var overrides = DecisionOverrides.none
    /// Code that runs before and after each decision and event. Default: none, which costs nothing.
    public var hooks: [ClientHook] = []
    /// The id of this device, for segment events. Default: nil, which is right for a server.
    ///
    /// With an id, a new client announces the device to the data platform, each segment event carries the id, and
    /// ``FlagClient/identify(_:)`` links users to it.
    public var deviceID: DeviceID?
    /// The client name in events. Default: `turnout`.
    public var clientName = "turnout"
    /// The client version in events. Default: this library's.
    public var clientVersion = LibraryVersion.current

    package var listenerOptions = ListenerOptions()

    /// Creates the standard configuration.
    public init() {}

    /// The runtime's share of the configuration.
    var runtimeServices: RuntimeServices {
        var services = RuntimeServices()
        services.predictions = predictions
        services.predictionOptions = predictionOptions
        services.clock = clock
        services.wallClock = wallClock
        services.random = random
        services.log = log
        services.defaultOptions = defaultOptions
        services.overrides = overrides
        services.clientName = clientName
        services.clientVersion = clientVersion
        services.projectID = projectID
        return services
    }

    /// A queue that starts by delivering the events an earlier process left.
    func startedQueue(reportingTo changes: ChangeSignal) -> EventQueue {
        let queue = EventQueue(
            store: eventStore, transport: transport, options: events, services: eventServices(reportingTo: changes))
        queue.start()
        return queue
    }

    /// The services for event delivery. `changes` is sent when delivery begins to fail, or works again.
    private func eventServices(reportingTo changes: ChangeSignal) -> EventServices {
        var services = EventServices()
        services.clock = clock
        services.wallClock = wallClock
        services.random = random
        services.log = log
        services.monitor = DeliveryMonitor(changes: changes)
        return services
    }

    /// Creates and queues segment events about users and this device.
    func segmentReporter(reportingTo changes: ChangeSignal) -> SegmentReporter {
        let queue = SegmentEventQueue { [segmentEventStore] in segmentEventStore }
        queue.connect(transport, events, eventServices(reportingTo: changes))
        return SegmentReporter(
            queue: queue, service: segmentEventService, device: deviceID?.rawValue,
            origin: .here(source: clientName, sourceVersion: clientVersion), random: random, log: log)
    }

    /// Whether the client polls.
    var polls: Bool { pollingInterval ?? .zero > .zero }

    /// The polling schedule, or nil for no polling. Logs a warning if the interval is too short.
    func pollingSchedule() -> PollingSchedule? {
        guard let pollingInterval, polls else { return nil }
        return PollingSchedule(interval: pollingInterval, floor: minimumPollingInterval, random: random, log: log)
    }
}
