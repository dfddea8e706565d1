public import Foundation
public import TurnoutClient

/// Queues events and sends them in batches: when a batch is full, at intervals, or on request.
///
/// An event leaves the queue only when its receiver has accepted it. A failed request is retried after 0.2 seconds,
/// with exponential back-off up to five minutes, or when the receiver says. An event that the receiver refuses while it
/// accepts others is set aside. With a backlog, requests grow to 1,000 events or 1 MB; one is in flight to a receiver.
/// Events left by an earlier process, or by the vendor's client in its file, are sent at the start. May be used from
/// any number of threads at once.
open class DefaultEventDispatcher: OPTEventDispatcher {
    /// The defaults of a dispatcher's settings.
    public struct DefaultValues {
        /// The number of events per request without a backlog, which is also the queue length that triggers a request:
        /// 10.
        public static let batchSize = 10
        /// The maximum time an event is queued before it is sent, in seconds: 60.
        public static let timeInterval: TimeInterval = 60
        /// The maximum number of queued events: 10,000.
        public static let maxQueueSize = 10_000
    }

    private struct State {
        var transport: (any Transport)?
        var problem: OptimizelyError?
        var clientSettings = ClientEventSettings()
    }

    private let state: Locked<State>
    private let queue: EventQueue
    private let delivery = DispatcherDelivery()
    private let switchableLog = SwitchableLog()
    private let options: EventOptions
    private let observer: BackgroundObserver

    /// Creates a dispatcher.
    ///
    /// - Parameters:
    ///   - batchSize: The number of events per request without a backlog, which is also the queue length that triggers
    ///     a request; 1 sends each event by itself. Zero or less means the default.
    ///   - backingStore: Where events are queued: in memory, or in a file (any other value). Always in memory without
    ///     the package's trait `SQLite`, or if the file cannot be used.
    ///   - dataStoreName: The name under which queued events are found after a restart. Dispatchers with the same name
    ///     share a queue.
    ///   - timerInterval: The maximum time an event is queued before it is sent, in seconds; 0 sends events
    ///     immediately. A negative value means the default.
    ///   - maxQueueSize: The maximum number of queued events; further events are refused. Less than 100 means the
    ///     default; less than `batchSize` means `batchSize`.
    public init(
        batchSize: Int = DefaultValues.batchSize, backingStore: DataStoreType = .file,
        dataStoreName: String = "OPTEventQueue", timerInterval: TimeInterval = DefaultValues.timeInterval,
        maxQueueSize: Int = DefaultValues.maxQueueSize
    ) {
        let settings = DispatcherSettings(
            batchSize: batchSize, timerInterval: timerInterval, maxQueueSize: maxQueueSize)
        let environment = HostEnvironment.current
        let store: any EventStore =
            backingStore == .memory
            ? .memory(limit: settings.maxQueueSize)
            : environment.storage.events(named: dataStoreName, limit: settings.maxQueueSize)
        if backingStore != .memory, environment.storage.isDurable {
            environment.vendor?.moveEvents(named: dataStoreName, to: store)
        }
        options = Self.options(settings, delivery)
        state = Locked(State(transport: environment.transport, problem: settings.problem))
        queue = Self.queue(of: store, delivery, options, .continuous, switchableLog)
        observer = BackgroundObserver { [queue] in await queue.flush(within: .seconds(10)) }
        delivery.serve(self)
        queue.start()
    }

    /// Creates a dispatcher with a custom store and clock; see
    /// ``init(batchSize:backingStore:dataStoreName:timerInterval:maxQueueSize:)``. The store enforces its own limit.
    package init(
        batchSize: Int = DefaultValues.batchSize, timerInterval: TimeInterval = DefaultValues.timeInterval,
        store: any EventStore, clock: any Clock<Duration> = .continuous
    ) {
        let settings = DispatcherSettings(
            batchSize: batchSize, timerInterval: timerInterval, maxQueueSize: DefaultValues.maxQueueSize)
        options = Self.options(settings, delivery)
        state = Locked(State())
        queue = Self.queue(of: store, delivery, options, clock, switchableLog)
        observer = BackgroundObserver { [queue] in await queue.flush(within: .seconds(10)) }
        delivery.serve(self)
    }

    private static func options(_ settings: DispatcherSettings, _ delivery: DispatcherDelivery) -> EventOptions {
        var options = settings.options
        options.variableMaximumAge = { delivery.maximumAge.withLock { $0 } }
        return options
    }

    private static func queue(
        of store: any EventStore, _ delivery: DispatcherDelivery, _ options: EventOptions, _ clock: any Clock<Duration>,
        _ log: any Log
    ) -> EventQueue {
        var services = EventServices()
        services.clock = clock
        services.log = log
        services.monitor = DeliveryMonitor(changes: ChangeSignal())
        let limit = options.requestDeadline + .seconds(5)
        return EventQueue(
            store: store, delivery: { try await delivery.deliver($0, within: limit) }, options: options,
            services: services)
    }

    // MARK: Configuration

    /// The transport for events. Default: the machine's network.
    package var transport: (any Transport)? {
        get { state.withLock { $0.transport } }
        set { state.withLock { $0.transport = newValue } }
    }

    /// The settings of the client that created the dispatcher.
    var clientSettings: ClientEventSettings {
        get { state.withLock { $0.clientSettings } }
        set { state.withLock { $0.clientSettings = newValue } }
    }

    /// The maximum age of queued events in seconds; older events are dropped, counted and logged. Nil means no limit.
    /// Default: nil.
    ///
    /// Applies to events with a timestamp, such as those of clients.
    public var maximumAge: TimeInterval? {
        get { delivery.maximumAge.withLock { $0 }.map { $0 / .seconds(1) } }
        set {
            let seconds = newValue.map { $0 >= 0 ? min($0, 3_153_600_000) : 0 }
            delivery.maximumAge.withLock { $0 = seconds.map { .seconds($0) } }
        }
    }

    /// Whether an event is in the file before the call that created it returns, such as `decide` or `track`. Such a
    /// call takes as long as a write to the disk; concurrent calls share writes. If the event cannot be written,
    /// `track` throws ``OptimizelyError/eventDispatchFailed(_:)``, the event stays in memory, and it is sent from
    /// there.
    ///
    /// Default: false; events are in the file within 10 milliseconds, or later under heavy load, and a process that is
    /// killed loses those of that time.
    public var storesEventsBeforeReturning: Bool {
        get { queue.isSynchronous }
        set { queue.isSynchronous = newValue }
    }

    /// The log. Default: standard error.
    package var log: any Log {
        get { switchableLog.target }
        set { switchableLog.target = newValue }
    }

    /// Whether events cannot be sent at all: there is no transport, and `sendEvent` is not overridden.
    var hasNoTransport: Bool { transport == nil && type(of: self) == DefaultEventDispatcher.self }

    /// Whether the current thread is inside a call to `sendEvent`.
    var isSending: Bool { delivery.isCalling }

    /// The number of queued events.
    package var waitingCount: Int { queue.count }

    // MARK: Dispatching

    /// Queues an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - completionHandler: Called before the method returns, with the event's body if it was queued, or with
    ///     ``OptimizelyError/eventDispatchFailed(_:)`` if the queue is full or the event could only be kept in memory.
    open func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        var worst = EventAcceptance.accepted
        for event in event.queued {
            switch enqueue(event) {
            case .accepted: break
            case .notDurable: if worst == .accepted { worst = .notDurable }
            case .lost: worst = .lost
            }
        }
        switch worst {
        case .accepted: completionHandler?(.success(event.body))
        case .notDurable: completionHandler?(.failure(.eventDispatchFailed("the event is kept in memory only")))
        case .lost: completionHandler?(.failure(.eventDispatchFailed("the event queue has no room")))
        }
    }

    /// Queues a client's event, on the thread that created it.
    func accept(_ event: OutgoingEvent, of sdkKey: String, to addresses: EventAddresses) -> EventAcceptance {
        enqueue(event.addressed(of: sdkKey, to: addresses))
    }

    /// Queues a client's events, on the thread that created them; a file is written once for all of them.
    func accept(_ events: [OutgoingEvent], of sdkKey: String, to addresses: EventAddresses) {
        reportProblem()
        queue.accept(events.map { $0.addressed(of: sdkKey, to: addresses) })
    }

    /// Queues a client's events without blocking a thread of Swift's concurrency pool.
    func acceptDurably(
        _ events: [OutgoingEvent], of sdkKey: String, to addresses: EventAddresses
    ) async -> [EventAcceptance] {
        reportProblem()
        return await queue.acceptDurably(events.map { $0.addressed(of: sdkKey, to: addresses) })
    }

    /// Whether queueing an event waits for a disk.
    var waits: Bool { queue.waits }

    /// The events that were dropped.
    var losses: EventLosses { queue.losses }

    /// The state of the queue and its delivery.
    public var status: EventStatus { queue.status }

    private func enqueue(_ event: OutgoingEvent) -> EventAcceptance {
        reportProblem()
        return queue.accept(event)
    }

    /// Starts delivery of all queued events and returns immediately.
    open func flushEvents() {
        Task.detached(executorPreference: DispatchExecutor.blockingCallers) { [queue] in await queue.flush() }
    }

    /// Makes one attempt to send a batch. Called by the queue; override it to send events another way.
    ///
    /// - Parameters:
    ///   - event: The batch.
    ///   - completionHandler: To be called once, with the result. After a failure the events stay queued.
    open func sendEvent(event: EventForDispatch, completionHandler: @escaping DispatchCompletionHandler) {
        guard let transport else {
            return completionHandler(.failure(.eventDispatchFailed("no network transport")))
        }
        let request = HTTPRequest(
            .post, event.url.absoluteString, headers: ["Content-Type": "application/json"], body: event.bytes,
            deadline: options.requestDeadline)
        let call = UncheckedSendable(completionHandler)
        Task(executorPreference: DispatchExecutor.blockingCallers) { [delivery] in
            let completion = call.value
            do {
                let response = try await transport.send(request)
                guard response.isSuccess else {
                    delivery.note(.response(response), of: event)
                    return completion(.failure(.eventDispatchFailed("status \(response.status)")))
                }
                completion(.success(event.body))
            } catch {
                if let error = error as? TransportError { delivery.note(.noResponse(error), of: event) }
                completion(.failure(.eventDispatchFailed("\(error)")))
            }
        }
    }

    /// Delivers all queued events and waits for that, at most 10 seconds. The dispatcher remains usable, because other
    /// clients may share it.
    ///
    /// Does not wait if it is called from within ``sendEvent(event:completionHandler:)``.
    open func close() {
        reportProblem()
        let limit = Self.closingLimit
        let done = OneShot<Void>()
        Task(executorPreference: DispatchExecutor.blockingCallers) { [queue] in
            await queue.flush(within: limit)
            done.end(())
        }
        guard !delivery.isCalling else { return }
        // The queue observes the limit itself; this timeout covers the case that no shared thread is free for its
        // clock.
        done.value(within: limit)
        let count = queue.count
        if count > 0 {
            log(.warning, "closed while \(count.counted("event")) could not be delivered yet; they stay queued")
        }
    }

    /// Posts the notification that an event is about to be sent.
    func willSend(_ event: EventForDispatch) {
        NotificationCenter.default.post(name: .willSendOptimizelyEvents, object: event)
    }

    /// Reported on first use, because a dispatcher is created before its owner sets the log.
    private func reportProblem() {
        let problem = state.withLock { state in
            defer { state.problem = nil }
            return state.problem
        }
        if let problem { log(.error, "\(problem)") }
    }
}

extension NSNotification.Name {
    /// Posted before each attempt to send events, with the ``EventForDispatch`` as its object.
    package static let willSendOptimizelyEvents = NSNotification.Name("willSendOptimizelyEvents")
}

extension DefaultEventDispatcher {
    /// The time limit of ``close()`` for the current task. A client that closes has less time, and the vendor's
    /// protocol has no parameter for it.
    @TaskLocal static var closingLimit: Duration = .seconds(10)
}
