import TurnoutClient

/// Suspends tasks while it is closed.
package final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    /// The number of waiting tasks.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Creates a gate, closed by default.
    package init(isOpen: Bool = false) { state = Locked(State(isOpen: isOpen)) }

    /// Waits until the gate is open.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Closes the gate for later calls.
    package func close() { state.withLock { $0.isOpen = false } }

    /// Opens the gate for later calls only; waiting tasks stay suspended.
    package func openForOthers() { state.withLock { $0.isOpen = true } }

    /// Opens the gate for waiting tasks and later calls.
    package func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
