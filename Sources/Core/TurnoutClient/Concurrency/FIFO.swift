/// A first-in, first-out queue. Adding and taking an element take constant time on average.
package struct FIFO<Element> {
    /// The newest elements, and the older ones in reverse order, so that taking the oldest moves no others.
    private var newer: [Element] = []
    private var older: [Element] = []

    package init() {}

    package var count: Int { newer.count + older.count }

    /// Adds an element at the end.
    package mutating func append(_ element: Element) { newer.append(element) }

    /// Removes the first element; nil if there is none.
    package mutating func popFirst() -> Element? {
        if older.isEmpty {
            // Both arrays keep their capacity.
            swap(&older, &newer)
            older.reverse()
        }
        return older.popLast()
    }

    /// Removes an element. Returns whether there was one.
    @discardableResult
    package mutating func remove(where isWanted: (Element) -> Bool) -> Bool {
        if let place = older.firstIndex(where: isWanted) {
            older.remove(at: place)
        } else if let place = newer.firstIndex(where: isWanted) {
            newer.remove(at: place)
        } else {
            return false
        }
        return true
    }
}

extension FIFO: Sendable where Element: Sendable {}

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
