/// A state that is split over several locks by key, so that threads hardly ever wait for each other.
package final class Sharded<State: Sendable>: Sendable {
    /// One state and its lock.
    package final class Shard: Sendable {
        package let state: Locked<State>
        fileprivate init(_ state: State) { self.state = Locked(state) }
    }

    /// The number of values of four bits.
    private static var count: Int { 16 }

    /// All shards.
    package let shards: [Shard]

    /// Unmanaged because reading an array of objects counts references, which all threads share.
    private let unmanaged: [Unmanaged<Shard>]

    /// Creates the shards.
    ///
    /// - Parameters:
    ///   - capacity: The total capacity.
    ///   - make: Creates the state of a shard from its share of the capacity.
    package init(capacity: Int, _ make: (Int) -> State) {
        let share = (max(1, capacity) + Self.count - 1) / Self.count
        shards = (0..<Self.count).map { _ in Shard(make(share)) }
        unmanaged = shards.map { Unmanaged.passUnretained($0) }
    }

    /// Calls `body` with the state for a key, while its lock is held, and returns its result. The key's fingerprint
    /// selects the state; keys are expected to differ in its first four bits.
    @inline(__always)
    package func withLock<Result: Sendable>(
        of fingerprint: UInt64, _ body: (inout sending State) -> sending Result
    ) -> Result {
        // The other bits are for tables within the shard.
        unmanaged[Int(fingerprint >> 60)]._withUnsafeGuaranteedRef { $0.state.withLock(body) }
    }
}
