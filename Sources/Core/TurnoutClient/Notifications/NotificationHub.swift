import Synchronization

/// Tells listeners what happened.
final class NotificationHub: Sendable {
    private struct Listener: Sendable {
        let id: ListenerID
        let kinds: NotificationKinds
        let body: @Sendable (ClientNotification) -> Void
        /// Called when the client is gone.
        let end: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Listener] = []
        var nextNumber = 1
    }

    private let queue: ListenerQueue
    private let state = Locked(State())
    /// How many listeners there are; read with every decision.
    private let listenerCount = Atomic(0)

    init(queue: ListenerQueue) { self.queue = queue }

    deinit { for listener in state.withLock({ $0.listeners }) { listener.end() } }

    /// Whether anybody listens at all.
    @inline(__always)
    var isHeard: Bool { listenerCount.load(ordering: .relaxed) > 0 }

    func add(
        _ kinds: NotificationKinds, _ body: @escaping @Sendable (ClientNotification) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) -> ListenerID {
        state.withLock { state in
            let id = ListenerID(number: state.nextNumber)
            state.nextNumber += 1
            state.listeners.append(Listener(id: id, kinds: kinds, body: body, end: end))
            listenerCount.store(state.listeners.count, ordering: .relaxed)
            return id
        }
    }

    func remove(_ id: ListenerID) {
        // What a listener holds may come back here when it is released, so that happens outside the lock.
        let all = state.withLock { state in
            let all = state.listeners
            state.listeners.removeAll { $0.id == id }
            listenerCount.store(state.listeners.count, ordering: .relaxed)
            return all
        }
        withExtendedLifetime(all) {}
    }

    /// Has a notification delivered to those who want its kind, when it is delivered.
    func post(_ notification: ClientNotification) {
        guard isHeard else { return }
        queue.add { [self] in
            for listener in state.withLock({ $0.listeners }) where listener.kinds.contains(notification.kind) {
                listener.body(notification)
            }
        }
    }

    /// Waits until everything posted before was delivered; returns at once if a listener asks.
    func drain() async {
        guard !queue.isCurrent else { return }
        await withCheckedContinuation { continuation in
            queue.add({ continuation.resume() }, beyondLimit: true)
        }
    }
}

extension Client {
    /// Calls a function for everything that happens, one call after the other, off the thread that decided.
    ///
    /// A listener that is slow slows down the program when 10,000 notifications wait; one that is stuck loses some, see
    /// ``lostNotificationCount``. It may call the client.
    ///
    /// - Parameters:
    ///   - kinds: What to hear of. Default: everything.
    ///   - body: Called with each notification.
    /// - Returns: What ``removeListener(_:)`` needs.
    @discardableResult
    public func addListener(
        to kinds: NotificationKinds = .all, _ body: @escaping @Sendable (ClientNotification) -> Void
    ) -> ListenerID {
        hub.add(kinds, body)
    }

    /// Calls a listener no more. One that is being called now may finish.
    public func removeListener(_ id: ListenerID) { hub.remove(id) }

    /// How many notifications were dropped because a listener was stuck.
    public var lostNotificationCount: Int { listenerQueue.lostCount }

    /// Everything that happens from now on, as a sequence. It ends when the client is gone.
    ///
    /// ```swift
    /// for await case .datafileChange(let project) in client.notifications(of: .datafileChanges) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - kinds: What to hear of. Default: everything.
    ///   - limit: How many notifications wait for a slow reader; older ones are dropped. Default: 1,000.
    /// - Returns: A sequence that ends when its reader stops.
    public func notifications(
        of kinds: NotificationKinds = .all, limit: Int = 1_000
    ) -> AsyncStream<ClientNotification> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            let id = hub.add(kinds) {
                continuation.yield($0)
            } end: {
                continuation.finish()
            }
            continuation.onTermination = { [weak self] _ in self?.removeListener(id) }
        }
    }
}
