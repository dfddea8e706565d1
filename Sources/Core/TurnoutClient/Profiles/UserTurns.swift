import Dispatch

/// Lets those who do something for one user do it one after the other, in the order in which they came. Those of other
/// users do not wait.
///
/// Blocks the caller's thread, so it is for calls that block it anyway. Whoever has the turn must not ask for another.
final class UserTurns: Sendable {
    /// Those who wait behind the one whose turn it is.
    private let queues = Locked<[ExactText: [DispatchSemaphore]]>([:])

    /// Calls `body` when it is the caller's turn, and returns what it returns.
    func take<Value>(for userID: String, _ body: () throws -> Value) rethrows -> Value {
        let user = ExactText(userID)
        begin(user)
        defer { end(user) }
        return try body()
    }

    private func begin(_ user: ExactText) {
        let turn: DispatchSemaphore? = queues.withLock { queues in
            guard queues[user] != nil else {
                queues[user] = []
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            queues[user]?.append(turn)
            return turn
        }
        turn?.wait()
    }

    private func end(_ user: ExactText) {
        let next: DispatchSemaphore? = queues.withLock { queues in
            guard queues[user]?.isEmpty == false else {
                queues[user] = nil
                return nil
            }
            return queues[user]?.removeFirst()
        }
        next?.signal()
    }
}
