import Dispatch
import Foundation
import TurnoutClient

/// What all clients with one SDK key have in common: listeners, the datafile handler, the event dispatcher and what is
/// remembered of users. The first client brings it; the services that later ones bring are not used.
///
/// Users of the vendor's client rely on that: code that makes a second client expects the listeners of the first to be
/// called and its assignments to be found. It lives as long as one of the clients does.
final class SharedServices: Sendable {
    let center = DefaultNotificationCenter()
    let datafileHandler: Handed<any OPTDatafileHandler>
    let eventDispatcher: Handed<any OPTEventDispatcher>
    let profiles: any ProfileAccess
    private let userProfileService: Handed<any OPTUserProfileService>

    private let logEvents: Handed<any NSObjectProtocol>
    private let sdkKey: String
    private let clients = Locked<[HandedWeakly<OptimizelyClient>]>([])

    private init(_ sdkKey: String, _ given: GivenServices, _ world: World, _ log: any Log) {
        self.sdkKey = sdkKey
        let handler = given.datafileHandler ?? DefaultDatafileHandler()
        (handler as? DefaultDatafileHandler)?.connect(world, log)
        datafileHandler = Handed(handler)
        let dispatcher = given.eventDispatcher ?? Self.standardDispatcher(world, log)
        if given.eventDispatcher != nil { (dispatcher as? DefaultEventDispatcher)?.connect(world, log) }
        eventDispatcher = Handed(dispatcher)
        userProfileService = Handed(given.userProfileService ?? DefaultUserProfileService())
        profiles = ProfileServiceAccess.access(to: userProfileService.value)
        logEvents = Handed(Self.observeSending(center))
    }

    deinit {
        NotificationCenter.default.removeObserver(logEvents.value)
        // A handler that its caller keeps would poll for ever.
        (datafileHandler.value as? DefaultDatafileHandler)?.stopUpdates(sdkKey: sdkKey)
    }

    /// Sees to it that assignments are where they belong. A group is entered until that is done or a limit is over,
    /// if the store keeps to it.
    func storeAssignments(within limit: Duration, _ group: DispatchGroup) {
        group.enter()
        Task(executorPreference: DispatchExecutor.waitedFor) { [profiles] in
            await profiles.flush(within: limit)
            group.leave()
        }
    }

    /// Has newer datafiles handed to a client. A handler knows one listener for a key, so all clients of the key
    /// share it.
    func startUpdates(of client: OptimizelyClient, from handler: any OPTDatafileHandler) {
        let new = HandedWeakly(client)
        clients.withLock { clients in
            clients.removeAll { $0.object == nil || $0.object === new.object }
            clients.append(new)
        }
        handler.startUpdates(sdkKey: sdkKey) { [weak self] datafile in
            for client in self?.clients.withLock({ $0 }) ?? [] { client.object?.update(to: datafile) }
        }
    }

    /// Listeners for batches hear of those of all clients in the process, and of what dispatchers of callers announce.
    private static func observeSending(_ center: DefaultNotificationCenter) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: .willSendOptimizelyEvents, object: nil, queue: nil) { posted in
            let type = NotificationType.logEvent.rawValue
            guard center.hasListeners(for: type), let event = posted.object as? EventForDispatch,
                let json = try? JSONValue(parsing: [UInt8](event.body)), let body = json.anyValue as? [String: Any]
            else { return }
            center.sendNotifications(type: type, args: [event.url.absoluteString, body])
        }
    }

    /// The services of an SDK key: those that there are, or new ones from what the caller gives.
    static func services(for sdkKey: String, given: GivenServices, _ world: World, _ log: any Log) -> SharedServices {
        if let known = registry.withLock({ $0.services[sdkKey]?.value }) { return known.checked(given, log) }
        let new = SharedServices(sdkKey, given, world, log)
        let shared = registry.withLock { registry in
            if let known = registry.services[sdkKey]?.value { return known }
            registry.add(new, for: sdkKey)
            return new
        }
        return shared === new ? new : shared.checked(given, log)
    }

    /// These services, with a warning if the caller brings others.
    private func checked(_ given: GivenServices, _ log: any Log) -> SharedServices {
        if !has(given) {
            log(
                .warning,
                "another client with this SDK key lives; its event dispatcher, datafile handler and user profile "
                    + "service are used, not the ones given here")
        }
        return self
    }

    /// Whether the services that a caller brings, if any, are these.
    private func has(_ given: GivenServices) -> Bool {
        let pairs: [(given: Any?, own: Any)] = [
            (given.eventDispatcher, eventDispatcher.value), (given.datafileHandler, datafileHandler.value),
            (given.userProfileService, userProfileService.value),
        ]
        // What is no object is boxed, and not the same.
        return pairs.allSatisfy { pair in pair.given.map { $0 as AnyObject === pair.own as AnyObject } ?? true }
    }

    private struct Weak {
        weak var value: SharedServices?
    }

    private struct Registry {
        var services: [String: Weak] = [:]
        private var limit = 64

        /// Adds an entry. Those of services that are gone are swept out when the table has doubled.
        mutating func add(_ new: SharedServices, for sdkKey: String) {
            services[sdkKey] = Weak(value: new)
            guard services.count > limit else { return }
            services = services.filter { $0.value.value != nil }
            limit = max(64, 2 * services.count)
        }
    }

    private static let registry = Locked(Registry())

    // MARK: The dispatcher of those who bring none

    private static let dispatcher = Locked(HandedWeakly<DefaultEventDispatcher>(nil))

    /// All clients that bring no dispatcher share one, so that their events share requests.
    private static func standardDispatcher(_ world: World, _ log: any Log) -> DefaultEventDispatcher {
        let new = Handed(DefaultEventDispatcher())
        new.value.connect(world, log)
        // A client with a world of its own, as tests have, does not meet the others.
        guard World.chosen == nil else { return new.value }
        return dispatcher.withLock { dispatcher in
            if let known = dispatcher.object { return Handed(known) }
            dispatcher = HandedWeakly(new.value)
            return new
        }.value
    }
}

extension DefaultDatafileHandler {
    /// Works with what the client works with.
    func connect(_ world: World, _ log: any Log) {
        self.log = log
        if let transport = world.transport { self.transport = transport }
        random = world.random
    }
}

extension DefaultEventDispatcher {
    /// Works with what the client works with.
    fileprivate func connect(_ world: World, _ log: any Log) {
        self.log = log
        if let transport = world.transport { self.transport = transport }
    }
}

/// The services that a caller brings.
struct GivenServices {
    var eventDispatcher: (any OPTEventDispatcher)?
    var datafileHandler: (any OPTDatafileHandler)?
    var userProfileService: (any OPTUserProfileService)?
}
