public import Foundation
import Synchronization
import TurnoutClient

// @unchecked Sendable because its parts are constant, and what may be replaced is behind a lock.
/// Decides which variation each user gets.
///
/// ```swift
/// let client = OptimizelyClient(sdkKey: "…")
/// try client.start(datafile: datafile)
/// let user = client.createUserContext(userId: "ada", attributes: ["country": "US"])
/// let decision = user.decide(key: "checkout")
/// ```
///
/// The interface is that of Optimizely's Swift SDK 5.4.2; the work is done by a `TurnoutClient`. It may be used from
/// any number of threads.
open class OptimizelyClient: NSObject, @unchecked Sendable {
    let parts: ClientParts

    /// The version that events carry.
    public var version: String { parts.version }

    /// Fetches and keeps datafiles. Without one nothing is fetched.
    public var datafileHandler: (any OPTDatafileHandler)? {
        get { parts.settable.withLock { $0.datafileHandler }.value }
        set {
            let new = Handed(newValue)
            (newValue as? DefaultDatafileHandler)?.connect(parts.world, parts.log)
            parts.change { $0.datafileHandler = new }
        }
    }

    /// Calls listeners. Shared by all clients with one SDK key, until it is replaced.
    public var notificationCenter: (any OPTNotificationCenter)? {
        get { parts.announcer.center }
        set { parts.announcer.center = newValue }
    }

    // Callers use it without unwrapping, as in the vendor's client.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Knows the segments of users.
    public var odpManager: OdpManager! {
        get { parts.settable.withLock { $0.odpManager }.value }
        set {
            let new = Handed<OdpManager?>(newValue)
            newValue?.services = parts.odpServices
            newValue?.update(project: parts.core.project)
            parts.change { $0.odpManager = new }
        }
    }

    /// The id of the device, or nil: it has none, because `enableVuid` is not set.
    public var vuid: String? {
        get { parts.settable.withLock { $0.vuid } }
        set {
            parts.settable.withLock {
                $0.vuid = newValue
                parts.hasVuid.store(newValue != nil, ordering: .relaxed)
            }
        }
    }

    /// Creates a client. It fetches datafiles only when it is started; decisions are not ready until then.
    ///
    /// - Parameters:
    ///   - sdkKey: The key of the project's environment.
    ///   - logger: Receives messages. Default: a ``DefaultLogger``.
    ///   - eventDispatcher: Sends events. Default: a ``DefaultEventDispatcher`` that all clients share.
    ///   - datafileHandler: Fetches and keeps datafiles. Default: a ``DefaultDatafileHandler``.
    ///   - userProfileService: Remembers assignments. Default: a ``DefaultUserProfileService``.
    ///   - odpManager: Knows the segments of users. Default: one made from the settings.
    ///   - defaultLogLevel: From where on messages are written. Default: `info`.
    ///   - defaultDecideOptions: Options of every decision, beside those of the call. Default: none.
    ///   - settings: Settings of segments, device ids, and the client's name in events.
    ///   - cmabConfig: How predictions for contextual bandits are fetched and kept.
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
        parts = ClientParts(setup, World.current)
        super.init()
        linkContexts()
    }

    /// Creates a client that asks for newer datafiles from time to time, once it is started.
    ///
    /// - Parameters:
    ///   - sdkKey: The key of the project's environment.
    ///   - logger: Receives messages. Default: a ``DefaultLogger``.
    ///   - eventDispatcher: Sends events. Default: a ``DefaultEventDispatcher`` that all clients share.
    ///   - datafileHandler: Fetches and keeps datafiles. Default: a ``DefaultDatafileHandler``.
    ///   - userProfileService: Remembers assignments. Default: a ``DefaultUserProfileService``.
    ///   - odpManager: Knows the segments of users. Default: one made from the settings.
    ///   - periodicDownloadInterval: The time between two requests in seconds, at least two minutes; nil: 600; 0:
    ///     never.
    ///   - defaultLogLevel: From where on messages are written. Default: `info`.
    ///   - defaultDecideOptions: Options of every decision, beside those of the call. Default: none.
    ///   - settings: Settings of segments, device ids, and the client's name in events.
    ///   - cmabConfig: How predictions for contextual bandits are fetched and kept.
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

    deinit { parts.core.uninstall() }

    // MARK: Conversions

    // In the class itself, where a subclass can replace it.
    /// Counts something that a user did.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - userId: The user's id.
    ///   - attributes: What is known about the user. Default: nothing.
    ///   - eventTags: What to add; `revenue` and `value` are special. Default: nothing.
    /// - Throws: `sdkNotReady` or `eventKeyInvalid`.
    open func track(
        eventKey: String, userId: String, attributes: OptimizelyAttributes? = nil,
        eventTags: OptimizelyEventTags? = nil
    ) throws {
        let user = UserContent(userId, attributes)
        let tags = (eventTags ?? [:]).mapValues { AttributeValue(anyValue: $0) }
        do throws(TrackError) {
            let made = try parts.core.convert(eventKey, for: user.user, tags: tags)
            parts.announcer.announceConversion(eventKey, user, eventTags, made.event)
        } catch {
            throw switch error {
            case .notReady: OptimizelyError.sdkNotReady
            case .unknownEvent(let key): OptimizelyError.eventKeyInvalid(key)
            case .lost, .notDurable: OptimizelyError.eventDispatchFailed("\(error)")
            }
        }
    }
}
