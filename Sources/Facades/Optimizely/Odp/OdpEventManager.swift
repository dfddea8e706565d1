package import TurnoutClient

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Queues events for ODP and sends them in batches.
///
/// Subclass it and override ``dispatch(_:)`` to observe every event or to deliver it another way.
open class OdpEventManager {
    private let apiMgr: OdpEventApiManager
    private let queue: SegmentEventQueue
    private let watch: BackgroundObserver
    private let services = Locked(OdpServices())
    private let monitor = DeliveryMonitor(changes: ChangeSignal())

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - sdkKey: The client's SDK key, which identifies the queue on disk.
    ///   - apiManager: Sends the events. Default: nil, the standard implementation.
    ///   - resourceTimeoutInSecs: The time limit for a complete response, in seconds, for the standard implementation.
    ///     Default: nil, which means 10.
    public init(sdkKey: String, apiManager: OdpEventApiManager? = nil, resourceTimeoutInSecs: Int? = nil) {
        apiMgr = apiManager ?? OdpEventApiManager(timeout: resourceTimeoutInSecs)
        let storage = HostEnvironment.current.storage
        queue = SegmentEventQueue { storage.events(named: "OPTEvent-ODP-" + sdkKey, limit: 100) }
        watch = BackgroundObserver { [queue] in await queue.flush(within: .seconds(10)) }
    }

    /// Queues an event, to be sent in a batch. Returns quickly; called on any thread.
    ///
    /// An event that ODP would refuse is dropped.
    open func dispatch(_ event: OdpEvent) {
        do throws(SegmentEventError) {
            queue.accept(
                try SegmentEvent(
                    type: event.type, action: event.action, identifiers: event.identifiers, data: event.data))
        } catch {
            let log = services.withLock { $0.log }
            log(.error, "ODP event dropped: \(error)")
        }
    }

    /// Sets the services for sending events.
    package func connect(_ services: OdpServices) {
        self.services.withLock { $0 = services }
        var delivery = EventServices()
        delivery.clock = services.clock
        delivery.random = services.random
        delivery.log = services.log
        delivery.monitor = monitor
        queue.connect(apiMgr.transport(services), deadline: apiMgr.deadline, delivery)
    }

    /// Creates an event from a caller's values and dispatches it.
    ///
    /// - Parameters:
    ///   - type: The type of the event; nil or empty means `fullstack`.
    ///   - action: The action of the event.
    ///   - identifiers: The user's identifiers, as names and values.
    ///   - data: Additional data; it takes precedence over the default data of every event.
    /// - Throws: `odpInvalidData`, `odpInvalidAction`, or `odpEventFailed` if there is no identifier.
    package func sendEvent(
        type: String?, action: String, identifiers: [String: String], data: [String: Any?]
    ) throws(OptimizelyError) {
        let facts = data.compactMapValues { JSONValue(anyValue: $0) }
        guard facts.count == data.count else { throw .odpInvalidData }
        let services = services.withLock { $0 }
        let event: SegmentEvent
        do throws(SegmentEventError) {
            event = try SegmentEvent(
                type: type, action: action, identifiers: SegmentEvent.normalized(identifiers),
                data: services.origin.adding(to: facts, id: services.random.eventID()))
        } catch {
            throw OptimizelyError(error)
        }
        dispatch(OdpEvent(event))
    }

    /// Sets the destination of events.
    package func update(to destination: SegmentEventDestination) { queue.update(to: destination) }

    /// Delivers queued events as far as possible.
    package func flush() async { await queue.flush() }

    /// Delivers queued events within a time limit.
    package func close(within limit: Duration) async { await queue.close(within: limit) }

    /// The number of queued events.
    package var count: Int { queue.count }

    /// The state of the queue and its delivery.
    package var status: EventStatus { queue.status }
}

extension OptimizelyError {
    init(_ error: SegmentEventError) {
        self =
            switch error {
            case .noService: .odpNotIntegrated
            case .invalidData: .odpInvalidData
            case .noAction: .odpInvalidAction
            case .noIdentifier: .odpEventFailed("no identifier", false)
            case .lost, .notDurable: .odpEventFailed(error.description, false)
            }
    }
}

/// Sends events to ODP.
///
/// Subclass it and override ``getSession()`` to send events with your own session.
open class OdpEventApiManager {
    /// The time limit for a complete response.
    package let deadline: Duration

    /// Creates a manager.
    ///
    /// - Parameter timeout: The time limit for a complete response, in seconds. Zero or less means 60, the system's
    ///   default; the vendor's client leaves the limit to the system in that case. Default: nil, which means 10.
    public init(timeout: Int? = nil) { deadline = .odpLimit(timeout) }

    /// The transport for events: the client's network, unless a subclass provides a session.
    func transport(_ services: OdpServices) -> (any Transport)? {
        guard type(of: self) != OdpEventApiManager.self else { return services.transport }
        let manager = UncheckedSendable(self)
        return SessionTransport(
            standard: services.transport, options: services.options,
            makeSession: UncheckedSendable { manager.value.getSession() })
    }

    /// Returns the session for one request; it is invalidated afterwards. The standard implementation returns a
    /// placeholder for the client's own network.
    open func getSession() -> URLSession { URLSession(odpDeadline: deadline) }
}
