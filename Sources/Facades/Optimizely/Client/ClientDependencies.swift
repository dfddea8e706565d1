import Foundation
import Synchronization
import TurnoutClient

/// The services and state of a client.
final class ClientDependencies: Sendable {
    /// The services that can be replaced at run time.
    struct Settable {
        var datafileHandler: UncheckedSendable<(any OPTDatafileHandler)?>
        var odpManager: UncheckedSendable<OdpManager?>
        var vuid: String?
    }

    let sdkKey: String
    let environment: HostEnvironment
    let log: any Log
    /// The services of the client's ODP manager.
    let odpServices: OdpServices
    let runtime: DecisionRuntime
    /// Records which datafile the client uses. Requests are recorded by the datafile handler.
    let monitor: DatafileMonitor
    let notifications: NotificationDispatcher
    let shared: SharedServices
    let settable: Locked<Settable>
    /// Held while a datafile is installed.
    let configuring = Locked(())
    /// Whether the device has a VUID; read for each context, so without a lock.
    let hasVuid: Atomic<Bool>
    let references = Striped<ClientReference>()
    let version: String
    private let memo = DatafileMemo()
    let defaultDecideOptions: [OptimizelyDecideOption]
    // Retained here, because the factory holds the logger weakly.
    private let logger: UncheckedSendable<any OPTLogger>

    init(_ setup: ClientSetup, _ environment: HostEnvironment) {
        let logger = setup.logger ?? DefaultLogger()
        type(of: logger).logLevel = setup.defaultLogLevel ?? .info
        OPTLoggerFactory.register(logger)
        let log = ClientLog(logger).named("Optimizely", key: setup.sdkKey)
        let settings = setup.settings ?? OptimizelySdkSettings()
        let environment = environment.allowingInsecureHTTP(settings.allowsInsecureHTTP)
        var given = setup.services
        given.eventSettings = settings.events
        let shared = SharedServices.services(for: setup.sdkKey, given: given, environment, log)
        if settings.allowsInsecureHTTP { shared.reconnect(to: environment) }
        let queue = ListenerQueue(log: log)
        let services = Self.services(setup, settings, shared, queue, environment, log)
        // A client without the VUID does not disable it for the others.
        let vuid = VuidManager.shared.vuid(enabled: settings.enableVuid)
        self.logger = UncheckedSendable(logger)
        self.environment = environment
        self.log = log
        self.shared = shared
        sdkKey = setup.sdkKey
        runtime = DecisionRuntime(services)
        monitor = DatafileMonitor(clock: environment.clock, wallClock: environment.wallClock, log: log)
        notifications = NotificationDispatcher(shared.center, queue: queue, endpoints: EventAddresses(settings))
        version = services.clientVersion
        defaultDecideOptions = setup.defaultDecideOptions
        hasVuid = Atomic(vuid != nil)
        let odp = setup.odpManager ?? OdpManager(sdkKey: setup.sdkKey, settings)
        var odpServices = OdpServices(
            environment, log, .here(source: services.clientName, sourceVersion: services.clientVersion))
        odpServices.options.allowsInsecureHTTP = settings.allowsInsecureHTTP
        self.odpServices = odpServices
        odp.services = odpServices
        odp.vuid = vuid
        settable = Locked(
            Settable(
                datafileHandler: UncheckedSendable(shared.datafileHandler.value), odpManager: UncheckedSendable(odp),
                vuid: vuid))
    }

    /// Changes the replaceable services. The old ones are released outside the lock: their deinitializers may call this
    /// object.
    func change(_ change: (inout Settable) -> Void) {
        let old = settable.withLock { settable in
            let old = settable
            change(&settable)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Parses a datafile that a handler provided; the standard handler has usually parsed it already.
    func read(_ datafile: Data, of handler: (any OPTDatafileHandler)?) throws(StartError) -> Project {
        let memo = (handler as? DefaultDatafileHandler)?.memo(sdkKey) ?? memo
        do throws(DatafileError) { return try memo.project(of: datafile) } catch { throw .datafile(error) }
    }

    private static func services(
        _ setup: ClientSetup, _ settings: OptimizelySdkSettings, _ shared: SharedServices, _ queue: ListenerQueue,
        _ environment: HostEnvironment, _ log: any Log
    ) -> RuntimeServices {
        var services = RuntimeServices()
        services.profiles = shared.profiles
        services.events = DispatcherSink(
            shared.eventDispatcher.value, sdkKey: setup.sdkKey, endpoints: EventAddresses(settings),
            owners: shared.owners, queue: queue)
        let cmabConfig = setup.cmabConfig ?? CmabConfig()
        services.predictions = environment.predictionSource(for: cmabConfig)
        services.predictionOptions = cmabConfig.options
        services.clock = environment.clock
        services.wallClock = environment.wallClock
        services.random = environment.random
        services.log = log
        services.defaultOptions = DecideOptions(setup.defaultDecideOptions)
        services.clientName = settings.sdkName ?? OptimizelySdkSettings.standardName
        services.clientVersion = settings.sdkVersion ?? OptimizelySdkSettings.standardVersion
        return services
    }
}

/// The arguments of a client's initializer.
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
    /// The cache options for predictions; an invalid lifetime means the default.
    fileprivate var options: PredictionOptions {
        var options = PredictionOptions()
        options.cachedPredictions = cacheSize
        if cacheTimeoutInSecs > 0 { options.lifetime = .seconds(cacheTimeoutInSecs) }
        return options
    }
}

extension OdpManager {
    /// Creates the manager for a client that is not given one.
    fileprivate convenience init(sdkKey: String, _ settings: OptimizelySdkSettings) {
        self.init(
            sdkKey: sdkKey, disable: settings.disableOdp, cacheSize: settings.segmentsCacheSize,
            cacheTimeoutInSecs: settings.segmentsCacheTimeoutInSecs,
            timeoutForSegmentFetchInSecs: settings.timeoutForSegmentFetchInSecs,
            timeoutForEventDispatchInSecs: settings.timeoutForOdpEventInSecs)
    }
}

extension OdpServices {
    /// Creates services from a client's environment.
    fileprivate init(_ environment: HostEnvironment, _ log: any Log, _ origin: SegmentEventOrigin) {
        self.init()
        transport = environment.transport
        clock = environment.clock
        random = environment.random
        self.log = log
        self.origin = origin
    }
}
