import Dispatch

/// A lock for each key, which callers get in order of arrival. Callers with different keys do not wait for each other.
///
/// Blocks the caller's thread, so it is for calls that block anyway. Not recursive.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The waiting callers for each key whose lock is held.
    private let queues = Locked<[Key: FIFO<DispatchSemaphore>]>([:])

    /// Creates unlocked locks.
    package init() {}

    /// Calls `body` while the lock for a key is held, and returns its result.
    package func withLock<Value, Failure: Error>(
        for key: Key, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        lock(key)
        defer { unlock(key) }
        return try body()
    }

    private func lock(_ key: Key) {
        let turn: DispatchSemaphore? = queues.withLock { queues in
            guard queues[key] != nil else {
                queues[key] = FIFO()
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            queues[key]?.append(turn)
            return turn
        }
        turn?.wait()
    }

    private func unlock(_ key: Key) {
        let next: DispatchSemaphore? = queues.withLock { queues in
            if let next = queues[key]?.popFirst() { return next }
            queues[key] = nil
            return nil
        }
        next?.signal()
    }
}
