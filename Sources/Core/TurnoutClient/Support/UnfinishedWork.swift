/// What goes on although nobody waits for it any longer, so that an orderly end can wait for it.
final class UnfinishedWork: Sendable {
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

    /// How much goes on.
    var count: Int { state.withLock { $0.open.count } }

    /// Begins something. What is returned is to be called at its end.
    func begin() -> @Sendable () -> Void {
        let number = state.withLock { $0.begin() }
        return { [self] in for end in state.withLock({ $0.end(number) }) { end() } }
    }

    /// Waits until what goes on now has ended, but not longer than a limit.
    func wait(within limit: Duration, on clock: any Clock<Duration>) async {
        await waitForFlush(within: limit, on: clock) { end in
            state.withLock { $0.open.isEmpty ? nil : $0.flushes.add($0.open, end) }
        } leave: { number in
            state.withLock { $0.flushes.remove(number) }
        }
    }
}
