import Dispatch
import Foundation
import TurnoutClient

/// The services that all clients with one SDK key share: notification center, datafile handler, event dispatcher and
/// user profile service. The first client determines them; services given to later clients are ignored.
///
/// Programs rely on this behavior of the vendor's client: code that creates a second client expects it to call the
/// listeners of the first and to find its assignments. Released with the last client.
final class SharedServices: Sendable {
    let center = DefaultNotificationCenter()
    let datafileHandler: UncheckedSendable<any OPTDatafileHandler>
    let eventDispatcher: UncheckedSendable<any OPTEventDispatcher>
    let profiles: any ProfileAccess
    let owners = EventOwners()
    private let userProfileService: UncheckedSendable<any OPTUserProfileService>

    private let logEvents = Locked<UncheckedSendable<any NSObjectProtocol>?>(nil)
    private let sdkKey: String
    private let clients = Locked<[WeakUncheckedSendable<OptimizelyClient>]>([])

    private init(_ sdkKey: String, _ given: GivenServices, _ environment: HostEnvironment, _ log: NamedLog) {
        self.sdkKey = sdkKey
        datafileHandler = UncheckedSendable(given.datafileHandler ?? DefaultDatafileHandler())
        eventDispatcher = UncheckedSendable(
            given.eventDispatcher ?? Self.standardDispatcher(environment, log, given.eventSettings))
        userProfileService = UncheckedSendable(given.userProfileService ?? DefaultUserProfileService())
        profiles = ProfileServiceAccess.access(to: userProfileService.value)
        // Not earlier: the first observer of a process takes a twentieth of a client's start.
        center.observesRequests.withLock { $0 = { [weak self] in self?.observeSending() } }
        ownHandler?.connect(environment, log)
        // The standard dispatcher is connected already.
        if given.eventDispatcher != nil { ownDispatcher?.connect(environment, log.withoutKey) }
    }

    /// The datafile handler, if it is this library's or a subclass of it.
    private var ownHandler: DefaultDatafileHandler? { datafileHandler.value as? DefaultDatafileHandler }
    /// The event dispatcher, if it is this library's or a subclass of it.
    private var ownDispatcher: DefaultEventDispatcher? { eventDispatcher.value as? DefaultEventDispatcher }

    deinit {
        if let observer = logEvents.withLock({ $0 }) { NotificationCenter.default.removeObserver(observer.value) }
        // Otherwise a handler that the caller retains would keep polling.
        ownHandler?.stopUpdates(sdkKey: sdkKey)
    }

    /// Switches this library's services to a network with fewer restrictions, because a client asks for it.
    func reconnect(to environment: HostEnvironment) {
        guard let transport = environment.transport else { return }
        ownHandler?.transport = transport
        ownDispatcher?.transport = transport
    }

    /// Flushes assignments to their store. Enters `group` until that is done or the limit is over, if the store
    /// observes it.
    func storeAssignments(within limit: Duration, _ group: DispatchGroup) {
        group.enter()
        Task(executorPreference: DispatchExecutor.blockingCallers) { [profiles] in
            await profiles.flush(within: limit)
            group.leave()
        }
    }

    /// Closes the event dispatcher.
    ///
    /// - Returns: Whether it returned within the limit; if not, it continues in the background.
    func closeDispatcher(within limit: Duration) -> Bool {
        // This library's dispatcher observes the limit, and must be called on this thread if this is the one that
        // sends.
        if let own = ownDispatcher, type(of: own) == DefaultEventDispatcher.self || own.isSending {
            DefaultEventDispatcher.$closingLimit.withValue(limit) { own.close() }
            return true
        }
        let done = OneShot<Void>()
        // Emptied before the end is signaled, so that nothing retains the dispatcher afterwards.
        let dispatcher = Locked<UncheckedSendable<any OPTEventDispatcher>?>(eventDispatcher)
        BlockingCall.start {
            Self.close(dispatcher, within: limit)
            done.end(())
        }
        return done.value(within: limit) != nil
    }

    private static func close(
        _ dispatcher: borrowing Locked<UncheckedSendable<any OPTEventDispatcher>?>, within limit: Duration
    ) {
        let taken = dispatcher.withLock { dispatcher in
            defer { dispatcher = nil }
            return dispatcher
        }
        DefaultEventDispatcher.$closingLimit.withValue(limit) { taken?.value.close() }
    }

    /// Passes newer datafiles to a client. A handler has one listener for each key, so all clients of the key share it.
    func startUpdates(of client: OptimizelyClient, from handler: any OPTDatafileHandler) {
        let new = WeakUncheckedSendable(client)
        clients.withLock { clients in
            clients.removeAll { $0.object == nil || $0.object === new.object }
            clients.append(new)
        }
        handler.startUpdates(sdkKey: sdkKey) { [weak self] datafile in
            for client in self?.clients.withLock({ $0 }) ?? [] { client.object?.update(to: datafile) }
        }
    }

    /// Announces event requests of clients with the SDK key, from this process or an earlier one, even if a caller's
    /// dispatcher posts them.
    private func observeSending() {
        let observer = NotificationCenter.default.addObserver(
            forName: .willSendOptimizelyEvents, object: nil, queue: nil
        ) { [sdkKey, owners, center] posted in
            let type = NotificationType.logEvent.rawValue
            guard center.hasListeners(for: type), let event = posted.object as? EventForDispatch,
                event.sdkKey == nil || event.sdkKey == sdkKey, let json = try? JSONValue(parsing: event.bytes),
                event.sdkKey != nil || owners.contains(json), let body = json.anyValue as? [String: Any]
            else { return }
            center.sendNotifications(type: type, args: [event.url.absoluteString, body])
        }
        logEvents.withLock { [observer = UncheckedSendable(observer)] in $0 = observer }
    }

    /// The services for an SDK key: the existing ones, or new ones from the caller's.
    static func services(
        for sdkKey: String, given: GivenServices, _ environment: HostEnvironment, _ log: NamedLog
    ) -> SharedServices {
        if let known = registry.withLock({ $0.services[sdkKey]?.value }) { return known.checked(given, log) }
        let new = SharedServices(sdkKey, given, environment, log)
        let shared = registry.withLock { registry in
            if let known = registry.services[sdkKey]?.value { return known }
            registry.add(new, for: sdkKey)
            return new
        }
        return shared === new ? new : shared.checked(given, log)
    }

    /// Returns these services, and logs a warning if the caller provides others.
    private func checked(_ given: GivenServices, _ log: any Log) -> SharedServices {
        if !has(given) {
            log(
                .warning,
                "another client with this SDK key exists; this one uses its event dispatcher, "
                    + "datafile handler and user "
                    + "profile service, not the ones given here. Pass the same services to all clients of a key")
        }
        return self
    }

    /// Whether the caller's services, if any, are these.
    private func has(_ given: GivenServices) -> Bool {
        let pairs: [(given: Any?, own: Any)] = [
            (given.eventDispatcher, eventDispatcher.value), (given.datafileHandler, datafileHandler.value),
            (given.userProfileService, userProfileService.value),
        ]
        // A value type is boxed and never identical.
        return pairs.allSatisfy { pair in pair.given.map { $0 as AnyObject === pair.own as AnyObject } ?? true }
    }

    /// The services in use, by SDK key.
    struct Registry {
        struct Weak {
            weak var value: SharedServices?
        }

        private(set) var services: [String: Weak] = [:]
        private var limit = 64

        /// Adds an entry. Entries of released services are removed when the table has doubled.
        mutating func add(_ new: SharedServices, for sdkKey: String) {
            services[sdkKey] = Weak(value: new)
            guard services.count > limit else { return }
            services = services.filter { $0.value.value != nil }
            limit = max(64, 2 * services.count)
        }
    }

    // MARK: Default dispatcher

    /// The dispatcher that all clients without their own share, so that their events share requests.
    private static func standardDispatcher(
        _ environment: HostEnvironment, _ log: NamedLog, _ settings: ClientEventSettings
    ) -> DefaultEventDispatcher {
        func make() -> UncheckedSendable<DefaultEventDispatcher> {
            let new = UncheckedSendable(DefaultEventDispatcher(settings))
            new.value.connect(environment, log.withoutKey)
            return new
        }
        // A client with a custom environment, as in tests, is isolated from others.
        guard HostEnvironment.override == nil else { return make().value }
        // Created under the lock: a second dispatcher would start delivering the first one's events.
        let (shared, isKnown) = dispatcher.withLock { dispatcher in
            if let known = dispatcher.object { return (UncheckedSendable(known), true) }
            let new = make()
            dispatcher = WeakUncheckedSendable(new.value)
            return (new, false)
        }
        // Not under the lock: the logger may be the program's.
        if isKnown, settings != ClientEventSettings(), settings != shared.value.clientSettings {
            log(.warning, "the event settings have no effect: an earlier client's dispatcher is shared")
        }
        return shared.value
    }
}

extension DefaultDatafileHandler {
    /// Uses the client's network and log.
    func connect(_ environment: HostEnvironment, _ log: any Log) {
        self.log = log
        if let transport = environment.transport { self.transport = transport }
        random = environment.random
        clock = environment.clock
    }
}

extension DefaultEventDispatcher {
    /// Creates a dispatcher with a client's settings.
    fileprivate convenience init(_ settings: ClientEventSettings) {
        self.init(
            batchSize: settings.batchSize ?? DefaultValues.batchSize,
            maxQueueSize: settings.queueSize ?? DefaultValues.maxQueueSize)
        clientSettings = settings
        maximumAge = settings.maximumAge.map { TimeInterval($0) }
        storesEventsBeforeReturning = settings.storesBeforeReturning
    }

    /// Uses the client's network and log.
    fileprivate func connect(_ environment: HostEnvironment, _ log: any Log) {
        self.log = log
        if let transport = environment.transport { self.transport = transport }
    }
}

/// The services that a caller provides.
struct GivenServices {
    var eventDispatcher: (any OPTEventDispatcher)?
    var datafileHandler: (any OPTDatafileHandler)?
    var userProfileService: (any OPTUserProfileService)?
    /// The settings for the default event dispatcher.
    var eventSettings = ClientEventSettings()
}

extension SharedServices {
    /// The services by SDK key: clients with the same key share them.
    static let registry = Locked(Registry())

    /// The dispatcher of all clients without their own: their events share a queue and requests.
    static let dispatcher = Locked(WeakUncheckedSendable<DefaultEventDispatcher>(nil))
}
