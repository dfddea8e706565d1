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
