import Synchronization

/// Notifies listeners.
final class NotificationHub: Sendable {
    private struct Listener: Sendable {
        let id: ListenerID
        let kinds: NotificationKinds
        let body: @Sendable (ClientNotification) -> Void
        /// Called when the client is deallocated.
        let end: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Listener] = []
        var nextNumber = 1
    }

    private let queue: ListenerQueue
    private let state = Locked(State())
    /// The number of listeners; read with every decision.
    private let listenerCount = Atomic(0)

    init(queue: ListenerQueue) { self.queue = queue }

    deinit { for listener in state.withLock({ $0.listeners }) { listener.end() } }

    /// Whether there is a listener.
    @inline(__always)
    var hasListeners: Bool { listenerCount.load(ordering: .relaxed) > 0 }

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
        // Releasing a listener's captures may call back into the hub, so that happens outside the lock.
        let all = state.withLock { state in
            let all = state.listeners
            state.listeners.removeAll { $0.id == id }
            listenerCount.store(state.listeners.count, ordering: .relaxed)
            return all
        }
        withExtendedLifetime(all) {}
    }

    /// Queues a notification for the listeners of its kind.
    func post(_ notification: ClientNotification) {
        guard hasListeners else { return }
        queue.add { [self] in
            for listener in state.withLock({ $0.listeners }) where listener.kinds.contains(notification.kind) {
                listener.body(notification)
            }
        }
    }

    /// Waits until all earlier notifications are delivered; returns immediately when called by a listener.
    func drain() async {
        guard !queue.isCurrent else { return }
        await withCheckedContinuation { continuation in
            queue.add({ continuation.resume() }, beyondLimit: true)
        }
    }
}
