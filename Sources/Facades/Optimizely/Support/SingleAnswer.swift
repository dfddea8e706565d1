import Synchronization

/// A call back that a caller's service gets, and that is called exactly once, whatever the service does: only its first
/// answer counts, and one that throws the call back away has answered with a failure.
package final class SingleAnswer<Value>: Sendable {
    private let completion: Handed<(OptimizelyResult<Value>) -> Void>
    private let isGiven = Atomic(false)

    package init(_ completion: @escaping (OptimizelyResult<Value>) -> Void) { self.completion = Handed(completion) }

    deinit { give { .failure(.generic) } }

    /// Gives the answer, which is only made if it is the first.
    package func give(_ result: () -> OptimizelyResult<Value>) {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing) else { return }
        completion.value(result())
    }
}
