/// Calls something that may block its thread as long as it likes.
///
/// Not on Dispatch's threads: there are some 250 of them in a process, concurrent queues even share the few of Swift's
/// tasks on Linux, and if callers' code blocks them all, nothing in the program goes on.
package enum BlockingCall {
    private struct State {
        var threadCount = 0
        var waiting: [@Sendable () -> Void] = []
    }

    /// More at once than any service stands; further calls wait for one to return.
    private static let threadLimit = 512
    private static let state = Locked(State())

    /// Calls it on a thread that nobody else waits for.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let hasThread = state.withLock { state in
            guard state.threadCount < threadLimit else {
                state.waiting.append(body)
                return false
            }
            state.threadCount += 1
            return true
        }
        if hasThread { WorkThread.run { work(from: body) } }
    }

    /// The call's value, without blocking the thread of the task that wants it.
    package static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: body()) } }
    }

    /// Calls it on a thread of its own, however many there are already: for those who bound their calls themselves, and
    /// whom callers wait for that have a thread of these.
    package static func startUnbounded(_ body: @escaping @Sendable () -> Void) { WorkThread.run(body) }

    private static func work(from first: @escaping @Sendable () -> Void) {
        var body: (@Sendable () -> Void)? = first
        while let call = body {
            call()
            body = next()
        }
    }

    private static func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}
