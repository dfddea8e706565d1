/// A value that every decision reads and hardly anything replaces, kept once per group of users.
///
/// A single one behind a single lock would be the place where all threads meet: taking the lock and counting the
/// reference moves a cache line from one processor to the other, which takes longer than a decision.
package final class Striped<Value: AnyObject & Sendable>: Sendable {
    private final class Stripe: Sendable {
        let value = Locked<Value?>(nil)
        /// Keeps the lock of the next stripe off this one's cache line.
        let distance: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    }

    /// Unmanaged because reading an array of objects counts references to the array, which all threads share.
    private let stripes: [Unmanaged<Stripe>]

    /// Creates the stripes, without values.
    package init() { stripes = (0..<User.stripeCount).map { _ in Unmanaged.passRetained(Stripe()) } }

    deinit { for stripe in stripes { stripe.release() } }

    /// The value of a group of users; see ``User/stripe``.
    @inline(__always)
    package subscript(stripe: Int) -> Value? {
        stripes[stripe]._withUnsafeGuaranteedRef { $0.value.withLock { $0 } }
    }

    /// Replaces the values one by one, that of group 0 last: whoever finds a new one there finds it everywhere. Callers
    /// take turns.
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
            // Released here: the end of a value may take long, and a lock is not the place for that.
            _ = old
        }
    }
}
