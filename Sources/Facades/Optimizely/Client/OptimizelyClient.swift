import Dispatch
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

extension OptimizelyClient {
    /// Creates a user context. May be called before the client is started.
    ///
    /// - Parameters:
    ///   - userId: The user's id; any string.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The user context.
    public func createUserContext(userId: String, attributes: [String: Any]? = nil) -> OptimizelyUserContext {
        OptimizelyUserContext(UserContent(userId, values: attributes), self)
    }

    /// Creates a user context for the device, identified by its VUID.
    ///
    /// - Parameter attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The user context, or nil, with an error in the log, if `enableVuid` is not set.
    public func createUserContext(attributes: [String: Any]? = nil) -> OptimizelyUserContext? {
        guard let vuid else {
            parts.log(
                .error,
                "no user context: without a user id it needs the id of the device, which enableVuid in "
                    + "OptimizelySdkSettings switches on")
            return nil
        }
        return createUserContext(userId: vuid, attributes: attributes)
    }

    /// Sends an event to Optimizely Data Platform (ODP).
    ///
    /// - Parameters:
    ///   - type: The type of the event. Default: `fullstack`.
    ///   - action: The action of the event; must not be empty.
    ///   - identifiers: The user's identifiers, as names and values. Default: the device's VUID, if there is one.
    ///   - data: Additional data: strings, numbers, Booleans and nil. Default: none.
    /// - Throws: `odpNotEnabled`, `odpNotIntegrated`, `odpInvalidData` or `odpInvalidAction`, checked in this order,
    ///   then `odpEventFailed` if there is no identifier: none is given and there is no VUID.
    public func sendOdpEvent(
        type: String? = nil, action: String, identifiers: [String: String] = [:], data: [String: Any?] = [:]
    ) throws {
        guard let odpManager else { throw OptimizelyError.odpNotEnabled }
        try odpManager.sendEvent(type: type, action: action, identifiers: identifiers, data: data)
    }

    // MARK: User context support

    /// Tells ODP that the user and the device belong together.
    func identify(_ userId: String) {
        guard parts.hasVuid.load(ordering: .relaxed) else { return }
        odpManager?.identifyUser(userId: userId)
    }

    /// The reference through which the calling thread's contexts reach this client.
    var reference: ClientReference {
        // The initializer creates a reference for each stripe.
        parts.references.current ?? makeReference()
    }

    func makeReferences() { parts.references.replace { _ in makeReference() } }

    private func makeReference() -> ClientReference {
        ClientReference(
            self, parts.references, runtime: parts.runtime, notifications: parts.notifications, log: parts.log)
    }
}

extension OptimizelyClient {
    /// The state of the client: its datafile and the requests for newer ones, its events, assignments and listeners.
    /// Contains no personal data and no secrets.
    ///
    /// ```swift
    /// print(client.status)
    /// ```
    ///
    /// Clients share an event dispatcher, and those with one SDK key the datafile handler and the profile service:
    /// their counts include those of the other clients. Of a handler or dispatcher that is not this library's, the
    /// requests and events are unknown and count as zero. The datafile has no maximum age; compare its `age`.
    public var status: ClientStatus {
        let datafile = parts.monitor.status
        let handler = datafileHandler as? DefaultDatafileHandler
        return ClientStatus(
            datafile: handler.map { datafile.combined(withRequestsOf: $0.monitor(parts.sdkKey).status) } ?? datafile,
            events: (parts.shared.eventDispatcher.value as? DefaultEventDispatcher)?.status ?? EventStatus(),
            segmentEvents: odpManager?.eventManager?.status ?? EventStatus(),
            profileFailures: parts.shared.profiles.failures, waitingNotifications: parts.notifications.queue.count,
            lostNotifications: parts.notifications.queue.lostCount)
    }

    /// The metrics of the client: its status as numbers, for any monitoring system. `metrics.prometheus()` is their
    /// text for Prometheus. If a program has several clients, label their metrics:
    /// `us.metrics.labeled(.init("client", "us")) + eu.metrics.labeled(.init("client", "eu"))`.
    public var metrics: MetricsSnapshot { MetricsSnapshot(status) }
}

extension OptimizelyClient {
    /// Stops polling for this SDK key, calls pending listeners, flushes events, and writes assignments to their store.
    ///
    /// Blocks for at most ten seconds, of which listeners get at most five. Whatever is unfinished by then is logged.
    /// The client can still decide afterwards. Calling this method again, or from a listener, is safe.
    public func close() { close(within: .seconds(10)) }

    /// Does what ``close()`` does, within the given limit.
    package func close(within limit: Duration) {
        let elapsed = ContinuousClock().stopwatch()
        datafileHandler?.stopUpdates(sdkKey: parts.sdkKey)
        // A blocked listener may use up only half of the time; the other steps need the rest.
        let listeners = parts.notifications.queue
        if !listeners.drain(within: limit / 2), !listeners.isCurrent {
            parts.log(
                .warning,
                "close: a listener has not returned within \((limit / 2).logText); the notifications "
                    + "after it are still "
                    + "waiting, and so are events for an event dispatcher of your own")
        }
        waitForUnfinishedCalls(within: max(.zero, limit - elapsed()) / 2)
        // These steps run concurrently, so that a slow one does not use up the time of the others.
        let rest = max(.zero, limit - elapsed())
        let others = DispatchGroup()
        odpManager?.close(within: rest, others)
        parts.shared.storeAssignments(within: rest, others)
        if !parts.shared.closeDispatcher(within: rest) {
            parts.log(
                .warning,
                "close: the event dispatcher's close() has not returned within \(rest.logText); it "
                    + "continues in the background")
        }
        let left = max(.zero, limit - elapsed())
        if others.wait(timeout: .now() + .nanoseconds(left.wholeNanoseconds)) == .timedOut {
            parts.log(
                .warning,
                "close: assignments or ODP events were not written within \(limit.logText); writing continues "
                    + "until the process ends")
        }
    }

    /// Waits for assignments and events of decisions that have stopped waiting for a slow store.
    private func waitForUnfinishedCalls(within limit: Duration) {
        guard limit > .zero else { return }
        let left = OneShot<Int>()
        Task(executorPreference: DispatchExecutor.blockingCallers) { [runtime = parts.runtime] in
            left.end(await runtime.waitForUnfinishedCalls(within: limit))
        }
        guard left.value(within: limit) != 0 else { return }
        parts.log(.warning, "close: a call to a profile or event store has not returned within \(limit.logText)")
    }
}
