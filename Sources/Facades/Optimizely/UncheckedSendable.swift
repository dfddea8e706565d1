import Synchronization
import TurnoutClient

/// A value that is passed to another thread although its type is not `Sendable`.
///
/// The interface of 5.4.2 takes closures and services without `@Sendable` or `Sendable`, because programs that use it
/// capture variables in them and keep state in them. The vendor's client already calls them from other threads.
// @unchecked Sendable because callers of this interface are responsible for the thread safety of what they pass in, as
// with the vendor's client, and the module's own classes keep their state behind locks.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}

/// As ``UncheckedSendable``, for a weakly referenced object.
// @unchecked Sendable because of the same reasons; only deallocation of the object changes the reference.
final class WeakUncheckedSendable<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?
    init(_ object: Object?) { self.object = object }
}

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

    /// Calls a caller's service on a thread that may block, and waits for its result.
    package static func result(of call: @escaping (OnceCallback) -> Void) async -> OptimizelyResult<Value> {
        let call = UncheckedSendable(call)
        let result = await withCheckedContinuation { continuation in
            BlockingCall.start {
                call.value(OnceCallback { continuation.resume(returning: UncheckedSendable($0)) })
            }
        }
        return result.value
    }
}
