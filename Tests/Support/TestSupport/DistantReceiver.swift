package import TurnoutClient

/// A receiver of events that is far away. Requests that are in flight together are answered together, after one *round
/// trip*. How many of these a backlog takes does not depend on the speed of the machine, as the time would.
package final class DistantReceiver: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isOpen: Bool
        var arrivals = 0
        var roundTrips = 0
        var mostInFlight = 0
    }

    private let state: Locked<State>
    /// The number of concurrent requests that clients make at most.
    private static let lanes = 4

    /// Creates a receiver. If it is not open, it answers nothing before ``open()``.
    package init(isOpen: Bool = true) { state = Locked(State(isOpen: isOpen)) }

    /// The number of round trips so far.
    package var roundTrips: Int { state.withLock { $0.roundTrips } }
    /// The largest number of requests that were in flight together.
    package var mostInFlight: Int { state.withLock { $0.mostInFlight } }

    /// Answers the requests in flight, and later ones.
    package func open() {
        state.withLock { $0.isOpen = true }
        endRoundTrip()
    }

    /// Answers a request at the end of its round trip: when all lanes are in use, or when no other request has arrived
    /// for a while.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        await withCheckedContinuation { continuation in
            let (arrival, isFull) = state.withLock { state in
                state.waiting.append(continuation)
                state.arrivals += 1
                return (state.arrivals, state.waiting.count >= Self.lanes)
            }
            if isFull { return endRoundTrip() }
            Task {
                try? await Task.sleep(for: .seconds(1))
                if state.withLock({ $0.arrivals == arrival }) { endRoundTrip() }
            }
        }
        return HTTPResponse(status: 204)
    }

    private func endRoundTrip() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isOpen, !state.waiting.isEmpty else { return [] }
            state.roundTrips += 1
            state.mostInFlight = max(state.mostInFlight, state.waiting.count)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
