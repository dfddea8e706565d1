import TurnoutClient

/// The number of open connections, which is limited.
final class ConnectionCount: Sendable {
    private struct State {
        var count = 0
        var perAddress: [String: Int] = [:]
    }

    private let limits: ListenerLimits
    private let state = Locked(State())

    init(_ limits: ListenerLimits) { self.limits = limits }

    var value: Int { state.withLock { $0.count } }

    /// Adds a connection. Returns false if there are too many.
    func add(_ address: String) -> Bool {
        state.withLock { state in
            guard state.count < limits.connections else { return false }
            if let limit = limits.connectionsPerAddress {
                guard state.perAddress[address, default: 0] < limit else { return false }
                state.perAddress[address, default: 0] += 1
            }
            state.count += 1
            return true
        }
    }

    func remove(_ address: String) {
        state.withLock { state in
            state.count -= 1
            guard let count = state.perAddress[address] else { return }
            state.perAddress[address] = count > 1 ? count - 1 : nil
        }
    }
}
