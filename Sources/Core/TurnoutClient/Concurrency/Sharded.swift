/// A state that is split over several locks by key, so that threads hardly ever wait for each other.
///
/// Its function is inlinable into other modules, as those of ``Locked``.
@usableFromInline
package final class Sharded<State: Sendable>: Sendable {
    /// One state and its lock.
    @usableFromInline
    package final class Shard: Sendable {
        @usableFromInline package let state: Locked<State>
        /// Keeps the lock of the next shard off this one's cache line.
        let cacheLinePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
            0, 0, 0, 0, 0, 0, 0, 0
        )
        fileprivate init(_ state: State) { self.state = Locked(state) }
    }

    package let shards: [Shard]

    /// Unmanaged because reading an array of objects counts references, which all threads share.
    @usableFromInline let unmanaged: [Unmanaged<Shard>]
    /// The number of bits of a fingerprint that do not select the shard.
    @usableFromInline let shift: Int

    /// Creates the shards.
    ///
    /// - Parameters:
    ///   - capacity: The total capacity.
    ///   - bits: The binary logarithm of the number of shards. Default: 4, 16 shards.
    ///   - make: Creates the state of a shard from its share of the capacity.
    package init(capacity: Int, bits: Int = 4, _ make: (Int) -> State) {
        let count = 1 << bits
        shift = UInt64.bitWidth - bits
        let share = (max(1, capacity) + count - 1) / count
        shards = (0..<count).map { _ in Shard(make(share)) }
        unmanaged = shards.map { Unmanaged.passUnretained($0) }
    }

    /// Calls `body` with the state for a key, while its lock is held, and returns its result. The key's fingerprint
    /// selects the state; keys are expected to differ in its first bits.
    @inlinable @inline(__always)
    package func withLock<Result: Sendable>(
        of fingerprint: UInt64, _ body: (inout sending State) -> sending Result
    ) -> Result {
        // The other bits are for tables within the shard.
        unmanaged[Int(truncatingIfNeeded: fingerprint >> shift)]._withUnsafeGuaranteedRef { $0.state.withLock(body) }
    }
}
