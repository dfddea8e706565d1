package import TurnoutClient

/// Hands events to the data platform.
///
/// Subclass it and override ``dispatch(_:)`` to see every event, or to hand it to somebody else.
open class OdpEventManager {
    private let apiMgr: OdpEventApiManager
    private let queue: SegmentEventQueue
    private let watch: BackgroundWatch
    private let services = Locked(OdpServices())

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - sdkKey: The key of the client's datafile, which tells apart what waits on disk.
    ///   - apiManager: How events reach the platform. Default: the standard implementation.
    ///   - resourceTimeoutInSecs: The longest time until an answer is complete, in seconds, for the standard
    ///     implementation. Default: 10.
    public init(sdkKey: String, apiManager: OdpEventApiManager? = nil, resourceTimeoutInSecs: Int? = nil) {
        apiMgr = apiManager ?? OdpEventApiManager(timeout: resourceTimeoutInSecs)
        let storage = World.current.storage
        queue = SegmentEventQueue { storage.events(named: "OPTEvent-ODP-" + sdkKey, limit: 100) }
        watch = BackgroundWatch { [queue] in await queue.flush(within: .seconds(10)) }
    }

    /// Takes over an event, to be sent with others. Quick; called on any thread.
    ///
    /// An event that the platform would refuse is dropped.
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

    /// Says what events are sent with.
    package func connect(_ services: OdpServices) {
        self.services.withLock { $0 = services }
        var delivery = EventServices()
        delivery.clock = services.clock
        delivery.random = services.random
        delivery.log = services.log
        queue.connect(services.transport, deadline: apiMgr.deadline, delivery)
    }

    /// Makes an event of what a caller says, and takes it over.
    ///
    /// - Parameters:
    ///   - type: A family of events; nil or empty: `fullstack`.
    ///   - action: What happened.
    ///   - identifiers: What the platform can know the user by.
    ///   - data: Further facts; they go before those that every event tells.
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

    /// Says where events go from now on.
    package func update(to destination: SegmentEventDestination) { queue.update(to: destination) }

    /// Delivers what waits, as far as possible.
    package func flush() async { await queue.flush() }

    /// Delivers what waits, at most for some time.
    package func close(within limit: Duration) async { await queue.close(within: limit) }

    /// How many events wait.
    package var count: Int { queue.count }
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
