public import Foundation
import Synchronization
public import TurnoutClient

// @unchecked Sendable because its parts are constant, and the replaceable ones are behind a lock.
/// Evaluates flags and experiments for users, and tracks conversions.
///
/// ```swift
/// let client = OptimizelyClient(sdkKey: "…")
/// try client.start(datafile: datafile)
/// let user = client.createUserContext(userId: "ada", attributes: ["country": "US"])
/// let decision = user.decide(key: "checkout")
/// ```
///
/// The public interface matches Optimizely's Swift SDK 5.4.2; the `DecisionRuntime` of the module `TurnoutClient` does
/// the work. A client may be used from any number of threads at once.
open class OptimizelyClient: NSObject, @unchecked Sendable {
    let parts: ClientDependencies

    /// The client version sent with every event: the settings' `sdkVersion`, by default `5.4.2`.
    public var version: String { parts.version }

    /// The service that downloads and caches datafiles. If nil, the client downloads nothing.
    public var datafileHandler: (any OPTDatafileHandler)? {
        get { parts.settable.withLock { $0.datafileHandler }.value }
        set {
            let new = UncheckedSendable(newValue)
            (newValue as? DefaultDatafileHandler)?.connect(parts.environment, parts.log)
            parts.change { $0.datafileHandler = new }
        }
    }

    /// The outcome of the last datafile download, or nil if the datafile handler is not a ``DefaultDatafileHandler``.
    /// Use it to tell a current datafile from a stale copy.
    public var lastDatafileOutcome: DatafileOutcome? {
        (datafileHandler as? DefaultDatafileHandler)?.lastOutcome(sdkKey: parts.sdkKey)
    }

    /// The notification center that calls listeners. All clients with the same SDK key share one until it is replaced.
    public var notificationCenter: (any OPTNotificationCenter)? {
        get { parts.notifications.center }
        set { parts.notifications.center = newValue }
    }

    // Callers use it without unwrapping, as in the vendor's client.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The manager that fetches users' segments and sends ODP events.
    public var odpManager: OdpManager! {
        get { parts.settable.withLock { $0.odpManager }.value }
        set {
            let new = UncheckedSendable<OdpManager?>(newValue)
            newValue?.services = parts.odpServices
            newValue?.update(project: parts.runtime.project)
            parts.change { $0.odpManager = new }
        }
    }

    /// The device's visitor id (VUID), or nil if `enableVuid` is not set.
    public var vuid: String? {
        get { parts.settable.withLock { $0.vuid } }
        set {
            parts.settable.withLock {
                $0.vuid = newValue
                parts.hasVuid.store(newValue != nil, ordering: .relaxed)
            }
        }
    }

    /// Creates a client. It downloads nothing until it is started; until then, decisions report that the SDK is not
    /// ready.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key of the project's environment.
    ///   - logger: Receives log messages. Default: a ``DefaultLogger``.
    ///   - eventDispatcher: Sends events. Default: a ``DefaultEventDispatcher`` that all clients share.
    ///   - datafileHandler: Downloads and caches datafiles. Default: a ``DefaultDatafileHandler``.
    ///   - userProfileService: Stores assignments. Default: a ``DefaultUserProfileService``.
    ///   - odpManager: Fetches segments and sends ODP events. Default: a manager configured by `settings`.
    ///   - defaultLogLevel: The most verbose level that is logged. Default: `info`.
    ///   - defaultDecideOptions: Options that apply to every decision, in addition to those of the call. Default: none.
    ///   - settings: Settings for segments, device ids, and the client's name in events. Default: all defaults.
    ///   - cmabConfig: Where predictions for contextual bandits come from and how they are cached. Default: all
    ///     defaults.
    public init(
        sdkKey: String, logger: (any OPTLogger)? = nil, eventDispatcher: (any OPTEventDispatcher)? = nil,
        datafileHandler: (any OPTDatafileHandler)? = nil, userProfileService: (any OPTUserProfileService)? = nil,
        odpManager: OdpManager? = nil, defaultLogLevel: OptimizelyLogLevel? = nil,
        defaultDecideOptions: [OptimizelyDecideOption]? = nil, settings: OptimizelySdkSettings? = nil,
        cmabConfig: CmabConfig? = nil
    ) {
        let services = GivenServices(
            eventDispatcher: eventDispatcher, datafileHandler: datafileHandler, userProfileService: userProfileService)
        let setup = ClientSetup(
            sdkKey: sdkKey, logger: logger, services: services, odpManager: odpManager,
            defaultLogLevel: defaultLogLevel, defaultDecideOptions: defaultDecideOptions ?? [], settings: settings,
            cmabConfig: cmabConfig)
        parts = ClientDependencies(setup, HostEnvironment.current)
        super.init()
        makeReferences()
    }

    /// Creates a client that polls for datafiles once it is started.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key of the project's environment.
    ///   - logger: Receives log messages. Default: a ``DefaultLogger``.
    ///   - eventDispatcher: Sends events. Default: a ``DefaultEventDispatcher`` that all clients share.
    ///   - datafileHandler: Downloads and caches datafiles. Default: a ``DefaultDatafileHandler``.
    ///   - userProfileService: Stores assignments. Default: a ``DefaultUserProfileService``.
    ///   - odpManager: Fetches segments and sends ODP events. Default: a manager configured by `settings`.
    ///   - periodicDownloadInterval: The polling interval in seconds, at least 120 (for a ``DefaultDatafileHandler``,
    ///     at least its ``DefaultDatafileHandler/minimumPollingInterval``); nil means 600, and 0 disables polling.
    ///   - defaultLogLevel: The most verbose level that is logged. Default: `info`.
    ///   - defaultDecideOptions: Options that apply to every decision, in addition to those of the call. Default: none.
    ///   - settings: Settings for segments, device ids, and the client's name in events. Default: all defaults.
    ///   - cmabConfig: Where predictions for contextual bandits come from and how they are cached. Default: all
    ///     defaults.
    public convenience init(
        sdkKey: String, logger: (any OPTLogger)? = nil, eventDispatcher: (any OPTEventDispatcher)? = nil,
        datafileHandler: (any OPTDatafileHandler)? = nil, userProfileService: (any OPTUserProfileService)? = nil,
        odpManager: OdpManager? = nil, periodicDownloadInterval: Int?, defaultLogLevel: OptimizelyLogLevel? = nil,
        defaultDecideOptions: [OptimizelyDecideOption]? = nil, settings: OptimizelySdkSettings? = nil,
        cmabConfig: CmabConfig? = nil
    ) {
        self.init(
            sdkKey: sdkKey, logger: logger, eventDispatcher: eventDispatcher, datafileHandler: datafileHandler,
            userProfileService: userProfileService, odpManager: odpManager, defaultLogLevel: defaultLogLevel,
            defaultDecideOptions: defaultDecideOptions, settings: settings, cmabConfig: cmabConfig)
        poll(every: periodicDownloadInterval ?? 600)
    }

    deinit {
        parts.runtime.uninstall()
        parts.references.replace { _ in nil }
    }

    // MARK: Conversions

    // Declared in the class itself, so that subclasses can override it.
    /// Tracks a conversion event for a user.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    ///   - eventTags: Tags to send with the event; `revenue` and `value` have a special meaning. Default: nil, no tags.
    /// - Throws: `sdkNotReady`, `eventKeyInvalid`, or `eventDispatchFailed` if the event was dropped or could only be
    ///   kept in memory.
    open func track(
        eventKey: String, userId: String, attributes: OptimizelyAttributes? = nil,
        eventTags: OptimizelyEventTags? = nil
    ) throws {
        let user = UserContent(userId, attributes)
        let tags = (eventTags ?? [:]).mapValues { AttributeValue(anyValue: $0) }
        do throws(TrackError) {
            let result = try parts.runtime.recordConversion(eventKey, for: user.user, tags: tags)
            if result.acceptance == .lost { throw .lost }
            parts.notifications.sendConversion(eventKey, user, eventTags, result.event)
            if result.acceptance == .notDurable { throw .notDurable }
        } catch {
            throw switch error {
            case .notReady: OptimizelyError.sdkNotReady
            case .unknownEvent(let key): OptimizelyError.eventKeyInvalid(key)
            case .lost, .notDurable: OptimizelyError.eventDispatchFailed("\(error)")
            }
        }
    }
}
