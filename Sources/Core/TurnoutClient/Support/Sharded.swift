/// States behind several locks, so that threads hardly ever wait for each other: each key belongs to one of them.
package final class Sharded<State: Sendable>: Sendable {
    /// One state and its lock.
    package final class Shard: Sendable {
        package let state: Locked<State>
        fileprivate init(_ state: State) { self.state = Locked(state) }
    }

    /// As many as four bits can tell apart.
    private static var count: Int { 16 }

    /// All states.
    package let shards: [Shard]

    /// Unmanaged because reading an array of objects counts references, which all threads share.
    private let unmanaged: [Unmanaged<Shard>]

    /// Creates the states.
    ///
    /// - Parameters:
    ///   - capacity: How much all of them hold together.
    ///   - make: Makes one; it is told the share of each.
    package init(capacity: Int, _ make: (Int) -> State) {
        let share = (max(1, capacity) + Self.count - 1) / Self.count
        shards = (0..<Self.count).map { _ in Shard(make(share)) }
        unmanaged = shards.map { Unmanaged.passUnretained($0) }
    }

    /// Calls `body` with the state that a key belongs to, while its lock is held, and returns what it returns.
    @inline(__always)
    package func withLock<Result: Sendable>(
        of key: ExactText, _ body: (inout sending State) -> sending Result
    ) -> Result {
        // The other bits are for tables within the shard.
        unmanaged[Int(key.fingerprint >> 60)]._withUnsafeGuaranteedRef { $0.state.withLock(body) }
    }
}
