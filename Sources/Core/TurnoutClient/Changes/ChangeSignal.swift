/// Tells sequences that something changed that decisions may depend on. Sequences keep the signal in memory; its owner
/// ends them with ``finish()``.
final class ChangeSignal: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    /// A sequence with one element at the beginning, and one after each change that any of the signals reports. For a
    /// slow reader, changes are merged into one element.
    static func changes(of signals: [ChangeSignal]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let removals = signals.map { $0.add(continuation) }
        continuation.onTermination = { _ in for remove in removals { remove() } }
        continuation.yield()
        return stream
    }

    /// Reports a change.
    func send() { for continuation in current { continuation.yield() } }

    /// Ends the sequences.
    func finish() { for continuation in current { continuation.finish() } }

    private var current: [AsyncStream<Void>.Continuation] { state.withLock { Array($0.continuations.values) } }

    /// Returns a function that removes the continuation.
    private func add(_ continuation: AsyncStream<Void>.Continuation) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.nextID += 1
            state.continuations[state.nextID] = continuation
            return state.nextID
        }
        return { [weak self] in _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) } }
    }
}
