public import Foundation
package import TurnoutClient

/// Keeps events in a queue, and sends them in batches: when enough wait, at intervals, or when asked.
///
/// An event leaves the queue only when its receiver has taken it. A batch that does not arrive is tried again after 0.2
/// seconds, then twice as long each time, up to five minutes, or when the receiver says; events that it does not want
/// for good are put aside. What an earlier process left is sent at the start. May be used from any number of threads at
/// once.
open class DefaultEventDispatcher: OPTEventDispatcher {
    /// What a dispatcher works with unless it is told otherwise.
    public struct DefaultValues {
        /// How many events a request carries at most, and how many may wait before one is sent: 10.
        public static let batchSize = 10
        /// The longest time an event waits, in seconds: 60.
        public static let timeInterval: TimeInterval = 60
        /// How many events wait at most: 10,000.
        public static let maxQueueSize = 10_000
    }

    private struct State {
        var transport: (any Transport)?
        var problem: OptimizelyError?
    }

    private let state: Locked<State>
    private let queue: EventQueue
    private let courier = EventCourier()
    private let switchableLog = SwitchableLog()
    private let options: EventOptions
    private let watch: BackgroundWatch

    /// Creates a dispatcher.
    ///
    /// - Parameters:
    ///   - batchSize: How many events a request carries at most, and how many may wait before one is sent; 1: each
    ///     event is sent by itself. Zero or less becomes the default.
    ///   - backingStore: Where events wait: in memory, or anywhere that outlasts the process, which is a file. Without
    ///     the package's trait `SQLite`, or if the file cannot be used, always in memory.
    ///   - dataStoreName: What the waiting events are found by after a restart. Dispatchers with the same name share
    ///     them.
    ///   - timerInterval: The longest time an event waits, in seconds; 0: it is sent at once. Less becomes the default.
    ///   - maxQueueSize: How many events wait at most; further ones are refused. Less than 100 becomes the default;
    ///     less than a batch becomes a batch.
    public init(
        batchSize: Int = DefaultValues.batchSize, backingStore: DataStoreType = .file,
        dataStoreName: String = "OPTEventQueue", timerInterval: TimeInterval = DefaultValues.timeInterval,
        maxQueueSize: Int = DefaultValues.maxQueueSize
    ) {
        let settings = DispatcherSettings(
            batchSize: batchSize, timerInterval: timerInterval, maxQueueSize: maxQueueSize)
        let world = World.current
        let store =
            backingStore == .memory
            ? .memory(limit: settings.maxQueueSize)
            : world.storage.events(named: dataStoreName, limit: settings.maxQueueSize)
        options = settings.options
        state = Locked(State(transport: world.transport, problem: settings.problem))
        queue = Self.queue(of: store, courier, settings.options, .continuous, switchableLog)
        watch = BackgroundWatch { [queue] in await queue.flush(within: .seconds(10)) }
        courier.serve(self)
        queue.start()
    }

    /// Creates a dispatcher with a store and a clock of one's own; see
    /// ``init(batchSize:backingStore:dataStoreName:timerInterval:maxQueueSize:)``. The store has a limit of its own.
    package init(
        batchSize: Int = DefaultValues.batchSize, timerInterval: TimeInterval = DefaultValues.timeInterval,
        store: any EventStore, clock: any Clock<Duration> = .continuous
    ) {
        let settings = DispatcherSettings(
            batchSize: batchSize, timerInterval: timerInterval, maxQueueSize: DefaultValues.maxQueueSize)
        options = settings.options
        state = Locked(State())
        queue = Self.queue(of: store, courier, settings.options, clock, switchableLog)
        watch = BackgroundWatch { [queue] in await queue.flush(within: .seconds(10)) }
        courier.serve(self)
    }

    private static func queue(
        of store: any EventStore, _ courier: EventCourier, _ options: EventOptions, _ clock: any Clock<Duration>,
        _ log: any Log
    ) -> EventQueue {
        var services = EventServices()
        services.clock = clock
        services.log = log
        let limit = options.requestDeadline + .seconds(5)
        return EventQueue(
            store: store, delivery: { try await courier.deliver($0, within: limit) }, options: options,
            services: services)
    }

    // MARK: What a client brings

    /// The network. Default: the machine's.
    package var transport: (any Transport)? {
        get { state.withLock { $0.transport } }
        set { state.withLock { $0.transport = newValue } }
    }

    /// Where the dispatcher reports. Default: the standard error output.
    package var log: any Log {
        get { switchableLog.target }
        set { switchableLog.target = newValue }
    }

    /// Whether events cannot be sent at all: there is no network, and nobody overrides how they are sent.
    var hasNoWay: Bool { transport == nil && type(of: self) == DefaultEventDispatcher.self }

    /// How many events wait.
    package var waitingCount: Int { queue.count }

    // MARK: The dispatcher

    /// Takes over an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - completionHandler: Called at once, with the event's body if it was taken over, or
    ///     ``OptimizelyError/eventDispatchFailed(_:)`` if there was no room, or no way to keep it but in memory.
    open func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        switch enqueue(event.queued) {
        case .accepted: completionHandler?(.success(event.body))
        case .notDurable: completionHandler?(.failure(.eventDispatchFailed("the event is kept in memory only")))
        case .lost: completionHandler?(.failure(.eventDispatchFailed("the event queue has no room")))
        }
    }

    /// Takes over an event of a client, on the thread that made it.
    func accept(_ event: OutgoingEvent) -> EventAcceptance { enqueue(event.addressed) }

    /// What was given up.
    var losses: EventLosses { queue.losses }

    private func enqueue(_ event: OutgoingEvent) -> EventAcceptance {
        reportProblem()
        return queue.accept(event)
    }

    /// Sends what waits, without waiting for it.
    open func flushEvents() {
        Task(executorPreference: DispatchExecutor.waitedFor) { [queue] in await queue.flush() }
    }

    /// Sends a batch, once.
    ///
    /// - Parameters:
    ///   - event: The batch.
    ///   - completionHandler: Takes the outcome, once. After a failure the events stay in the queue.
    open func sendEvent(event: EventForDispatch, completionHandler: @escaping DispatchCompletionHandler) {
        guard let transport else {
            return completionHandler(.failure(.eventDispatchFailed("no network transport")))
        }
        let request = HTTPRequest(
            .post, event.url.absoluteString, headers: ["Content-Type": "application/json"], body: Array(event.body),
            deadline: options.requestDeadline)
        let call = Handed((body: event.body, completion: completionHandler))
        Task(executorPreference: DispatchExecutor.waitedFor) { [courier] in
            let (body, completion) = call.value
            do {
                let response = try await transport.send(request)
                guard response.isSuccess else {
                    courier.note(response, to: event)
                    return completion(.failure(.eventDispatchFailed("answer \(response.status)")))
                }
                completion(.success(body))
            } catch {
                completion(.failure(.eventDispatchFailed("\(error)")))
            }
        }
    }

    /// How long ``close()`` may take. A client that closes has less time: the protocol has no room to say so.
    @TaskLocal static var closingLimit: Duration = .seconds(10)

    /// Sends what waits, and waits for it, at most 10 seconds. The dispatcher goes on: other clients may share it.
    ///
    /// Whoever calls this while an event is being sent, from the place that sends it, does not wait.
    open func close() {
        reportProblem()
        let limit = Self.closingLimit
        let done = DispatchSemaphore(value: 0)
        Task(executorPreference: DispatchExecutor.waitedFor) { [queue] in
            await queue.flush(within: limit)
            done.signal()
        }
        guard !courier.isCalling else { return }
        // The queue keeps to its limit; this is for the case that its clock cannot run: it needs a shared thread.
        _ = done.wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds))
        let count = queue.count
        if count > 0 { log(.warning, "closed with \(count) events undelivered") }
    }

    /// Tells everybody who wants to know that an event is about to be sent.
    func willSend(_ event: EventForDispatch) {
        NotificationCenter.default.post(name: .willSendOptimizelyEvents, object: event)
    }

    /// Reported late, because a dispatcher exists before the log that its owner wants.
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
