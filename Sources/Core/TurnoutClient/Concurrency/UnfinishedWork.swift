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
