/// Those who wait until what is on its way for some users has arrived. A value; whoever shares one puts it behind a
/// lock, and calls what it returns without.
struct FlushList: Sendable {
    /// Tells one of them that the wait is over.
    typealias End = @Sendable () -> Void

    private struct Flush {
        /// Whose assignments are still on their way.
        var users: Set<ExactText>
        let end: End
    }

    private var flushes: [Int: Flush] = [:]
    private var lastNumber = 0

    /// How many wait.
    var count: Int { flushes.count }

    /// Adds somebody who waits for some users. Returns a number to leave with.
    mutating func add(_ users: some Sequence<ExactText>, _ end: @escaping End) -> Int {
        lastNumber += 1
        flushes[lastNumber] = Flush(users: Set(users), end: end)
        return lastNumber
    }

    /// Nothing is on its way for a user any more. Returns how to tell those who waited for nobody else.
    mutating func arrived(_ user: ExactText) -> [End] {
        guard !flushes.isEmpty else { return [] }
        for number in flushes.keys { flushes[number]?.users.remove(user) }
        return flushes.filter(\.value.users.isEmpty).keys.compactMap { remove($0) }
    }

    /// Removes somebody who does not wait any longer. Returns how to tell, unless that has been done.
    mutating func remove(_ number: Int) -> End? { flushes.removeValue(forKey: number)?.end }

    /// Removes everybody. Returns how to tell them.
    mutating func removeAll() -> [End] {
        defer { flushes = [:] }
        return flushes.values.map(\.end)
    }
}
