/// Waiters for pending items: users' assignments, or calls. A value; the owner protects it by a lock, and calls the
/// returned continuations outside of it.
package struct FlushList<Item: Hashable & Sendable>: Sendable {
    package typealias End = @Sendable () -> Void

    private struct Flush {
        /// The items that are still pending.
        var items: Set<Item>
        let end: End
    }

    private var flushes: [Int: Flush] = [:]
    private var lastNumber = 0

    package init() {}

    package var count: Int { flushes.count }

    /// Adds a waiter. Returns a number that removes it.
    package mutating func add(_ items: some Sequence<Item>, _ end: @escaping End) -> Int {
        lastNumber += 1
        flushes[lastNumber] = Flush(items: Set(items), end: end)
        return lastNumber
    }

    /// Records that an item is done. Returns the continuations of waiters with no other pending items.
    package mutating func arrived(_ item: Item) -> [End] {
        guard !flushes.isEmpty else { return [] }
        for number in flushes.keys { flushes[number]?.items.remove(item) }
        return flushes.filter(\.value.items.isEmpty).keys.compactMap { remove($0) }
    }

    /// Removes a waiter that gave up. Returns its continuation, unless that has been called.
    package mutating func remove(_ number: Int) -> End? { flushes.removeValue(forKey: number)?.end }

    /// Removes all waiters. Returns their continuations.
    package mutating func removeAll() -> [End] {
        defer { flushes = [:] }
        return flushes.values.map(\.end)
    }
}

/// Waits for the end of a flush, but not longer than a limit.
///
/// - Parameters:
///   - limit: The longest time to wait.
///   - clock: Measures the limit.
///   - join: Adds the wait to a list and returns its number, or nil if nothing is pending.
///   - leave: Removes the wait.
func waitForFlush(
    within limit: Duration, on clock: any Clock<Duration>,
    join: (@escaping @Sendable () -> Void) -> Int?, leave: (Int) -> (@Sendable () -> Void)?
) async {
    let done = OneShot<Void>()
    guard limit > .zero, let number = join({ done.end(()) }) else { return }
    _ = await value(within: limit, on: clock, executor: DispatchExecutor.blockingCallers) { await done.value() }
    leave(number)?()
}

/// Calls that outlive the time limit of their caller, so that flushing and closing can wait for them.
package final class UnfinishedWork: Sendable {
    private struct State {
        var open: Set<Int> = []
        var lastNumber = 0
        var flushes = FlushList<Int>()

        mutating func begin() -> Int {
            lastNumber += 1
            open.insert(lastNumber)
            return lastNumber
        }

        mutating func end(_ number: Int) -> [@Sendable () -> Void] {
            open.remove(number)
            return flushes.arrived(number)
        }
    }

    private let state = Locked(State())

    /// Creates an object without running calls.
    package init() {}

    /// The number of running calls.
    package var count: Int { state.withLock { $0.open.count } }

    /// Registers a call. The returned function must be called at its end.
    package func begin() -> @Sendable () -> Void {
        let number = state.withLock { $0.begin() }
        return { [self] in for end in state.withLock({ $0.end(number) }) { end() } }
    }

    /// Waits until the calls now running have ended, within a limit.
    package func wait(within limit: Duration, on clock: any Clock<Duration>) async {
        await waitForFlush(within: limit, on: clock) { end in
            state.withLock { $0.open.isEmpty ? nil : $0.flushes.add($0.open, end) }
        } leave: { number in
            state.withLock { $0.flushes.remove(number) }
        }
    }
}
