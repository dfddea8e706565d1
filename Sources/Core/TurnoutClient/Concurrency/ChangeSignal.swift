/// Tells observers that something has changed, without saying what: they read the current state themselves, and so
/// never see an outdated one.
package final class ChangeSignal: Sendable {
    private struct State {
        var observers: [Int: @Sendable () -> Void] = [:]
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastID = 0
        var isFinished = false

        mutating func newID() -> Int {
            lastID += 1
            return lastID
        }
    }

    private let state = Locked(State())

    /// Creates a signal without observers.
    package init() {}

    deinit { finish() }

    /// Calls the observers on this thread, and resumes the readers of streams.
    package func send() {
        let (observers, streams) = state.withLock { (Array($0.observers.values), Array($0.streams.values)) }
        for stream in streams { stream.yield() }
        for observer in observers { observer() }
    }

    /// Finishes the current streams, and later ones after their first element. Deallocation does the same.
    package func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    /// Lets later streams continue again.
    package func reopen() { state.withLock { $0.isFinished = false } }

    /// Adds an observer, and returns its id. It is called on any thread, and must return quickly.
    package func add(_ observer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            let id = state.newID()
            state.observers[id] = observer
            return id
        }
    }

    package func remove(_ id: Int) {
        let removed = state.withLock { $0.observers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    /// A stream with an element now and after each change that any of the signals reports. Changes that its reader has
    /// not seen yet are combined. Ends with the first of the signals, none of which it retains.
    package static func changes(of signals: [ChangeSignal]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let removals = signals.map { $0.add(continuation) }
        continuation.onTermination = { _ in for remove in removals { remove() } }
        return stream
    }

    /// Returns a function that removes the continuation.
    private func add(_ continuation: AsyncStream<Void>.Continuation) -> @Sendable () -> Void {
        let (id, isFinished) = state.withLock { state in
            let id = state.newID()
            if !state.isFinished { state.streams[id] = continuation }
            return (id, state.isFinished)
        }
        if isFinished { continuation.finish() }
        return { [weak self] in _ = self?.state.withLock { $0.streams.removeValue(forKey: id) } }
    }
}
