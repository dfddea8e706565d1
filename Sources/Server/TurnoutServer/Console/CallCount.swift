import TurnoutClient

/// How many calls of a kind are in progress, so that further ones can be refused.
final class CallCount: Sendable {
    private let count = Locked(0)

    /// Begins a call, unless there are as many as a limit.
    func enter(limit: Int) -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    /// Ends a call.
    func leave() { count.withLock { $0 -= 1 } }
}
