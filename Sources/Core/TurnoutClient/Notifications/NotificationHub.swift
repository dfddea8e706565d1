import Synchronization

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
    /// The number of listeners, plus one if decisions are counted; read with every decision.
    private let observerCount: Atomic<Int>
    private let isCounting: Bool

    /// Creates a hub without listeners.
    ///
    /// - Parameters:
    ///   - queue: Calls the listeners.
    ///   - isCounting: Whether ``isObserved`` is always true, because decisions are counted.
    init(queue: ListenerQueue, isCounting: Bool = false) {
        self.queue = queue
        self.isCounting = isCounting
        observerCount = Atomic(isCounting ? 1 : 0)
    }

    deinit { for listener in state.withLock({ $0.listeners }) { listener.end() } }

    /// Whether there is a listener, or decisions are counted: the only check of a decision if neither is the case.
    @inline(__always)
    var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

    /// Whether there is a listener.
    var hasListeners: Bool { observerCount.load(ordering: .relaxed) > (isCounting ? 1 : 0) }

    func add(
        _ kinds: NotificationKinds, _ body: @escaping @Sendable (ClientNotification) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) -> ListenerID {
        state.withLock { state in
            let id = ListenerID(number: state.nextNumber)
            state.nextNumber += 1
            state.listeners.append(Listener(id: id, kinds: kinds, body: body, end: end))
            updateCount(state)
            return id
        }
    }

    func remove(_ id: ListenerID) {
        // Releasing a listener's captures may call back into the hub, so that happens outside the lock.
        let all = state.withLock { state in
            let all = state.listeners
            state.listeners.removeAll { $0.id == id }
            updateCount(state)
            return all
        }
        withExtendedLifetime(all) {}
    }

    private func updateCount(_ state: State) {
        observerCount.store(state.listeners.count + (isCounting ? 1 : 0), ordering: .relaxed)
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
