import LibC

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

/// A value that every decision reads and that is rarely replaced, with one copy per group of threads.
///
/// With a single value and lock, all threads would contend: taking the lock and counting the reference moves a cache
/// line between processors, which takes longer than a decision.
///
/// Its functions are inlinable into other modules, as those of ``Locked``.
@usableFromInline
package final class Striped<Value: AnyObject & Sendable>: Sendable {
    @usableFromInline
    final class Stripe: Sendable {
        @usableFromInline let value = Locked<Value?>(nil)
        /// Keeps the lock of the next stripe off this one's cache line.
        let cacheLinePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
            0, 0, 0, 0, 0, 0, 0, 0
        )
    }

    /// Unmanaged because reading an array of objects retains the array, which all threads share.
    @usableFromInline let stripes: [Unmanaged<Stripe>]

    /// Creates the stripes, without values.
    package init() { stripes = (0..<Project.replicaCount).map { _ in Unmanaged.passRetained(Stripe()) } }

    deinit { for stripe in stripes { stripe.release() } }

    /// The value for the calling thread.
    @inlinable @inline(__always)
    package var current: Value? { self[CallingThread.number & (stripes.count - 1)] }

    /// The value of a stripe, below ``Project/replicaCount``.
    @inlinable @inline(__always)
    package subscript(stripe: Int) -> Value? {
        stripes[stripe]._withUnsafeGuaranteedRef { $0.value.withLock { $0 } }
    }

    /// Replaces the values one by one, that of stripe 0 last: once stripe 0 has the new value, all stripes have it.
    /// Calls must be serialized.
    package func replace(_ value: (Int) -> Value?) {
        for (number, stripe) in stripes.enumerated().reversed() {
            let new = value(number)
            let old = stripe._withUnsafeGuaranteedRef { stripe in
                stripe.value.withLock { current in
                    let old = current
                    current = new
                    return old
                }
            }
            // Released here: deinitialization may take long, and must not happen under the lock.
            _ = old
        }
    }
}

/// The thread that runs the calling code.
@usableFromInline
package enum CallingThread {
    /// A number whose low bits differ for most threads. Use it only where a collision affects performance, not
    /// correctness. A task may run on another thread after it has waited.
    @usableFromInline
    package static var number: Int {
        // The address of the thread's descriptor. Descriptors are far apart, so the low bits of all are the same; the
        // upper half of the product depends on the others as well.
        let descriptor = UInt64(truncatingIfNeeded: Int(bitPattern: pthread_self()))
        return Int(truncatingIfNeeded: (descriptor &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    /// The number as a key of a ``Sharded`` state, for counts that all threads add to.
    package static var fingerprint: UInt64 { UInt64(truncatingIfNeeded: number) << 48 }

    /// The system's random numbers in reserve, by thread, because every event takes two. Shared, because any client can
    /// use any of them.
    static let randomNumbers = Sharded(capacity: 0) { _ in (generation: Fork.generation, numbers: [UInt64]()) }
}
