/// Those who wait until some of what is on its way has arrived: users' assignments, calls. A value; whoever shares one
/// puts it behind a lock, and calls what it returns without.
struct FlushList<Item: Hashable & Sendable>: Sendable {
    /// Tells one of them that the wait is over.
    typealias End = @Sendable () -> Void

    private struct Flush {
        /// What is still on its way.
        var items: Set<Item>
        let end: End
    }

    private var flushes: [Int: Flush] = [:]
    private var lastNumber = 0

    /// How many wait.
    var count: Int { flushes.count }

    /// Adds somebody who waits. Returns a number to leave with.
    mutating func add(_ items: some Sequence<Item>, _ end: @escaping End) -> Int {
        lastNumber += 1
        flushes[lastNumber] = Flush(items: Set(items), end: end)
        return lastNumber
    }

    /// Something is not on its way any more. Returns how to tell those who waited for nothing else.
    mutating func arrived(_ item: Item) -> [End] {
        guard !flushes.isEmpty else { return [] }
        for number in flushes.keys { flushes[number]?.items.remove(item) }
        return flushes.filter(\.value.items.isEmpty).keys.compactMap { remove($0) }
    }

    /// Removes somebody who does not wait any longer. Returns how to tell, unless that has been done.
    mutating func remove(_ number: Int) -> End? { flushes.removeValue(forKey: number)?.end }

    /// Removes everybody. Returns how to tell them.
    mutating func removeAll() -> [End] {
        defer { flushes = [:] }
        return flushes.values.map(\.end)
    }
}

/// Waits for the end of a flush, but not longer than a limit.
///
/// - Parameters:
///   - limit: How long to wait at most.
///   - clock: Measures it.
///   - join: Adds the wait to a list, by its end; nil: nothing is on its way.
///   - leave: Removes it again.
func waitForFlush(
    within limit: Duration, on clock: any Clock<Duration>,
    join: (@escaping @Sendable () -> Void) -> Int?, leave: (Int) -> (@Sendable () -> Void)?
) async {
    let (arrivals, arrival) = AsyncStream<Never>.makeStream()
    guard limit > .zero, let number = join({ arrival.finish() }) else { return }
    await value(within: limit, on: clock, executor: DispatchExecutor.waitedFor) { for await _ in arrivals {} }
    leave(number)?()
}
