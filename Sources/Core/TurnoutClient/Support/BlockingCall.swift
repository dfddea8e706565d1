/// Calls something that may block its thread as long as it likes.
///
/// Not on Dispatch's threads: there are some 250 of them in a process, concurrent queues even share the few of Swift's
/// tasks on Linux, and if callers' code blocks them all, nothing in the program goes on.
package enum BlockingCall {
    private struct State {
        var threadCount = 0
        var waitingCount = 0
        /// The calls that came last, and those before them in the opposite order: taking the oldest moves none.
        var newer: [@Sendable () -> Void] = []
        var older: [@Sendable () -> Void] = []

        mutating func next() -> (@Sendable () -> Void)? {
            if older.isEmpty { (older, newer) = (newer.reversed(), []) }
            guard let body = older.popLast() else { return nil }
            waitingCount -= 1
            return body
        }
    }

    /// More at once than any service stands; further calls wait for one to return.
    private static let threadLimit = 512
    /// When so many wait for a thread, what could be left out is.
    private static let crowd = 1_000
    private static let state = Locked(State())

    /// Calls it on a thread that nobody else waits for.
    package static func start(_ body: @escaping @Sendable () -> Void) { _ = start(body, amongAtMost: .max) }

    /// The call's value, without blocking the thread of the task that wants it.
    package static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: body()) } }
    }

    /// The call's value; nil: a thousand wait for a thread already, so it was left out.
    package static func valueUnlessCrowded<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value?
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            if !start({ continuation.resume(returning: body()) }, amongAtMost: crowd) {
                continuation.resume(returning: nil)
            }
        }
    }

    /// Calls it on a thread of its own, however many there are already: for those who bound their calls themselves, and
    /// whom callers wait for that have a thread of these.
    package static func startUnbounded(_ body: @escaping @Sendable () -> Void) { WorkThread.run(body) }

    /// Whether it is called, now or later.
    private static func start(_ body: @escaping @Sendable () -> Void, amongAtMost limit: Int) -> Bool {
        let (isTaken, hasThread) = state.withLock { state in
            if state.threadCount < threadLimit {
                state.threadCount += 1
                return (true, true)
            }
            guard state.waitingCount < limit else { return (false, false) }
            state.waitingCount += 1
            state.newer.append(body)
            return (true, false)
        }
        if hasThread { WorkThread.run { work(from: body) } }
        return isTaken
    }

    private static func work(from first: @escaping @Sendable () -> Void) {
        var body: (@Sendable () -> Void)? = first
        while let call = body {
            call()
            body = next()
        }
    }

    private static func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if let body = state.next() { return body }
            state.threadCount -= 1
            return nil
        }
    }
}
