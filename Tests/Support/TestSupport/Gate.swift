import TurnoutClient

/// Where tasks wait while it is closed.
package final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    /// How many wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// A gate, at first closed unless said otherwise.
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

    /// Lets those wait who come from now on.
    package func close() { state.withLock { $0.isOpen = false } }

    /// Lets those pass who come from now on.
    package func openForOthers() { state.withLock { $0.isOpen = true } }

    /// Lets everybody pass.
    package func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
