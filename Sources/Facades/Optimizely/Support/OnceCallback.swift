import Synchronization

/// A completion for a caller's service that is called exactly once, whatever the service does: only the first result
/// counts, and a service that releases the completion without calling it reports a failure.
///
/// Not built on `OneShot`, which keeps a value until its one reader takes it: here the reader is the closure, which
/// runs on the service's thread at once, and the value of a caller's service need not be `Sendable`.
package final class OnceCallback<Value>: Sendable {
    private let completion: UncheckedSendable<(OptimizelyResult<Value>) -> Void>
    private let isGiven = Atomic(false)

    package init(_ completion: @escaping (OptimizelyResult<Value>) -> Void) {
        self.completion = UncheckedSendable(completion)
    }

    deinit { give { .failure(.generic) } }

    /// Completes with the result. The closure is evaluated only on the first call.
    package func give(_ result: () -> OptimizelyResult<Value>) {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing) else { return }
        completion.value(result())
    }
}
