/// Lets tasks with the same key through one at a time, in order of arrival. Tasks with different keys do not wait for
/// each other. Not recursive.
package final class KeyedQueue<Key: Hashable & Sendable>: Sendable {
    /// The waiting callers for each key that is held.
    private let queues = Locked<[Key: FIFO<OneShot<Void>>]>([:])

    /// Creates a queue without callers.
    package init() {}

    /// Calls `body` when all earlier calls for a key have ended, and returns its result. Blocks no thread. A canceled
    /// task waits for its turn, too.
    package func withTurn<Value>(for key: Key, _ body: () async throws -> Value) async throws -> Value {
        _ = await enter(key)?.value()
        defer { leave(key) }
        return try await body()
    }

    /// Joins the queue for a key. Returns the caller's turn; nil if it has come.
    private func enter(_ key: Key) -> OneShot<Void>? {
        queues.withLock { queues in
            guard queues[key] != nil else {
                queues[key] = FIFO()
                return nil
            }
            let turn = OneShot<Void>()
            queues[key]?.append(turn)
            return turn
        }
    }

    /// Ends the caller's turn: the longest-waiting caller is next.
    private func leave(_ key: Key) {
        let next: OneShot<Void>? = queues.withLock { queues in
            if let next = queues[key]?.popFirst() { return next }
            queues[key] = nil
            return nil
        }
        next?.end(())
    }
}
