import Synchronization
import TurnoutClient

/// What a client is made of.
final class ClientParts: Sendable {
    /// What may be replaced while the client works.
    struct Settable {
        var datafileHandler: Handed<(any OPTDatafileHandler)?>
        var odpManager: Handed<OdpManager?>
        var vuid: String?
    }

    let sdkKey: String
    let world: World
    let log: any Log
    /// What a manager of segments and events works with.
    let odpServices: OdpServices
    let core: Client
    let announcer: Announcer
    let shared: SharedServices
    let settable: Locked<Settable>
    /// Held while a datafile takes effect.
    let configuring = Locked(())
    /// Whether the device has an id of its own; asked for each context, so without a lock.
    let hasVuid: Atomic<Bool>
    let links = Striped<ClientLink>()
    let version: String
    let defaultDecideOptions: [OptimizelyDecideOption]
    // Kept because nobody else does: everything reports to it.
    private let logger: Handed<any OPTLogger>

    init(_ setup: ClientSetup, _ world: World) {
        let logger = setup.logger ?? DefaultLogger()
        type(of: logger).logLevel = setup.defaultLogLevel ?? .info
        OPTLoggerFactory.register(logger)
        let log = ClientLog(logger)
        let settings = setup.settings ?? OptimizelySdkSettings()
        let shared = SharedServices.services(for: setup.sdkKey, given: setup.services, world, log)
        let queue = ListenerQueue(log: log)
        let configuration = Self.configuration(setup, settings, shared, queue, world, log)
        // One client that does not want the device's id does not take it from the others.
        let vuid = VuidManager.shared.vuid(enabled: settings.enableVuid)
        self.logger = Handed(logger)
        self.world = world
        self.log = log
        self.shared = shared
        sdkKey = setup.sdkKey
        core = Client(configuration)
        announcer = Announcer(shared.center, queue: queue)
        version = configuration.clientVersion
        defaultDecideOptions = setup.defaultDecideOptions
        hasVuid = Atomic(vuid != nil)
        let odp = setup.odpManager ?? OdpManager(sdkKey: setup.sdkKey, settings)
        odpServices = OdpServices(
            world, log, .here(source: configuration.clientName, sourceVersion: configuration.clientVersion))
        odp.services = odpServices
        odp.vuid = vuid
        settable = Locked(
            Settable(
                datafileHandler: Handed(shared.datafileHandler.value), odpManager: Handed(odp), vuid: vuid))
    }

    /// Replaces what may be replaced. What is replaced goes outside the lock: it may come back here.
    func change(_ change: (inout Settable) -> Void) {
        let old = settable.withLock { settable in
            let old = settable
            change(&settable)
            return old
        }
        withExtendedLifetime(old) {}
    }

    private static func configuration(
        _ setup: ClientSetup, _ settings: OptimizelySdkSettings, _ shared: SharedServices, _ queue: ListenerQueue,
        _ world: World, _ log: any Log
    ) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.profileAccess = shared.profiles
        configuration.eventSink = DispatcherSink(shared.eventDispatcher.value, queue: queue)
        configuration.listenerQueue = queue
        let cmabConfig = setup.cmabConfig ?? CmabConfig()
        configuration.predictions = world.predictionSource(for: cmabConfig)
        configuration.predictionOptions = cmabConfig.options
        configuration.clock = world.clock
        configuration.wallClock = world.wallClock
        configuration.random = world.random
        configuration.log = log
        configuration.defaultOptions = DecideOptions(setup.defaultDecideOptions)
        configuration.clientName = settings.sdkName ?? "swift-sdk"
        configuration.clientVersion = settings.sdkVersion ?? "5.4.2"
        return configuration
    }
}

/// What a caller says when a client is made.
struct ClientSetup {
    var sdkKey: String
    var logger: (any OPTLogger)?
    var services = GivenServices()
    var odpManager: OdpManager?
    var defaultLogLevel: OptimizelyLogLevel?
    var defaultDecideOptions: [OptimizelyDecideOption] = []
    var settings: OptimizelySdkSettings?
    var cmabConfig: CmabConfig?
}

extension CmabConfig {
    /// How predictions are kept; a lifetime that makes no sense is the default.
    fileprivate var options: PredictionOptions {
        var options = PredictionOptions()
        options.cachedAnswers = cacheSize
        if cacheTimeoutInSecs > 0 { options.lifetime = .seconds(cacheTimeoutInSecs) }
        return options
    }
}

extension OdpManager {
    /// The manager of a client that brings none.
    fileprivate convenience init(sdkKey: String, _ settings: OptimizelySdkSettings) {
        self.init(
            sdkKey: sdkKey, disable: settings.disableOdp, cacheSize: settings.segmentsCacheSize,
            cacheTimeoutInSecs: settings.segmentsCacheTimeoutInSecs,
            timeoutForSegmentFetchInSecs: settings.timeoutForSegmentFetchInSecs,
            timeoutForEventDispatchInSecs: settings.timeoutForOdpEventInSecs)
    }
}

extension OdpServices {
    /// What a client works with.
    fileprivate init(_ world: World, _ log: any Log, _ origin: SegmentEventOrigin) {
        self.init()
        transport = world.transport
        clock = world.clock
        random = world.random
        self.log = log
        self.origin = origin
    }
}
