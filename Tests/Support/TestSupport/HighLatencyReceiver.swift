package import TurnoutClient

/// A receiver of events that is far away: requests that are in flight together get their responses together.
package final class HighLatencyReceiver: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isOpen = false
        var arrivals = 0
        var mostInFlight = 0
    }

    private let state: Locked<State>
    /// The number of concurrent requests that clients make at most.
    private static let lanes = 4

    /// Creates a receiver, which responds to nothing before ``open()``.
    package init() { state = Locked(State()) }

    /// The largest number of requests that were in flight together.
    package var mostInFlight: Int { state.withLock { $0.mostInFlight } }

    /// Responds to the requests in flight, and later ones.
    package func open() {
        state.withLock { $0.isOpen = true }
        respondToAll()
    }

    /// Responds to a request when all lanes are in use, or when no other request has arrived for a while.
    package func response(to request: HTTPRequest) async -> HTTPResponse {
        await withCheckedContinuation { continuation in
            let (arrival, isFull) = state.withLock { state in
                state.waiting.append(continuation)
                state.arrivals += 1
                return (state.arrivals, state.waiting.count >= Self.lanes)
            }
            if isFull { return respondToAll() }
            Task {
                try? await Task.sleep(for: .seconds(1))
                if state.withLock({ $0.arrivals == arrival }) { respondToAll() }
            }
        }
        return HTTPResponse(status: 204)
    }

    private func respondToAll() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isOpen, !state.waiting.isEmpty else { return [] }
            state.mostInFlight = max(state.mostInFlight, state.waiting.count)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
