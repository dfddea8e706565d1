/// Runs calls that may block their thread, on a pool of threads for the whole process.
///
/// Dispatch's threads are not suitable: there are about 250 of them in a process, and on Linux concurrent queues even
/// share the few threads of Swift's concurrency pool. If callers' code blocked them all, the whole program would stop.
package enum BlockingCall {
    /// When this many calls wait for a thread, optional ones are skipped.
    private static let maximumQueueDepth = 1_000

    /// Runs a call on a thread reserved for blocking calls, or on the current one if the system has no more.
    package static func start(_ body: @escaping @Sendable () -> Void) { _ = calls.start(body) }

    /// The call's value, without blocking the thread of the calling task.
    package static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: body()) } }
    }

    /// The value of a call that may fail, without blocking the thread of the calling task.
    package static func result<Value: Sendable>(
        of body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error> = await value { Result { try body() } }
        return try result.get()
    }

    /// The call's value; nil if a thousand calls already wait for a thread, so that this one was skipped.
    package static func valueUnlessOverloaded<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value?
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            if !calls.start({ continuation.resume(returning: body()) }, queueLimit: maximumQueueDepth) {
                continuation.resume(returning: nil)
            }
        }
    }
}

extension BlockingCall {
    /// The threads for blocking calls. Shared, because the system limits the threads of a process. The limit is more
    /// than any service handles concurrently; further calls wait for one to return.
    static let calls = BoundedCalls(limit: 512)
}
