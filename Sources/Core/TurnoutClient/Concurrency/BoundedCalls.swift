/// A bounded pool for calls that may block: runs a few at a time, each on its own thread, and queues further ones.
///
/// For callers with a deadline, the pool counts the calls that are late: when all running calls are, further ones fail
/// immediately, so that an unresponsive service delays only the first few callers. These callers wait by the system's
/// clock, which depends on no task, timer or queue: the wait ends in time even if it blocks all threads of Swift's
/// concurrency pool.
package final class BoundedCalls: Sendable {
    /// Why there is no value.
    package enum Failure: Error {
        /// The call did not end in time.
        case timedOut
        /// The call was not made: all earlier calls are late, too many are queued, or the system has no more threads.
        case rejected
    }

    private struct Call {
        let number: Int
        let body: @Sendable () -> Void
    }

    private struct State {
        let generation = Fork.generation
        var nextNumber = 0
        /// The running calls, and whether they are late.
        var running: [Int: Bool] = [:]
        var waiting = FIFO<Call>()

        /// Starts or queues a call, unless the queue is full or all running calls are late.
        mutating func admit(_ body: @escaping @Sendable () -> Void, limit: Int, queueLimit: Int) -> Admission {
            // After a fork, the parent's threads and calls do not exist in the child.
            if generation != Fork.generation { self = State() }
            let call = Call(number: nextNumber, body: body)
            if running.count < limit {
                running[call.number] = false
            } else {
                guard waiting.count < queueLimit, !running.values.allSatisfy({ $0 }) else { return .refused }
                waiting.append(call)
            }
            nextNumber += 1
            return running[call.number] == nil ? .queued(call.number) : .runs(call)
        }

        /// Ends a running call and starts the longest-waiting one.
        mutating func next(after call: Call) -> Call? {
            running[call.number] = nil
            guard let next = waiting.popFirst() else { return nil }
            running[next.number] = false
            return next
        }
    }

    private enum Admission { case runs(Call), queued(Int), refused }

    /// More than any program has waiting threads; includes calls whose callers stopped waiting.
    private static let waitingLimit = 1_000

    private let limit: Int
    private let state = Locked(State())

    /// Creates a limit for concurrent calls, at least one.
    package init(limit: Int) { self.limit = max(1, limit) }

    // MARK: With a deadline

    /// Runs `body` and waits for its value, but not longer than a limit.
    ///
    /// - Parameters:
    ///   - limit: The total time to wait, for a free thread and the call.
    ///   - body: Produces the value. It is not called if no thread becomes free in time.
    /// - Returns: The value.
    /// - Throws: ``Failure``, or errors from `body`.
    package func value<Value: Sendable>(
        within limit: Duration, of body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        try outcome(within: limit) { Result { try body() } }.get()
    }

    /// Runs `body` and waits for its outcome, but not longer than a limit.
    ///
    /// - Parameters:
    ///   - limit: The total time to wait, for a free thread and the call.
    ///   - body: Produces the outcome. It is not called if no thread becomes free in time.
    /// - Returns: The outcome.
    /// - Throws: ``Failure``.
    package func outcome<Outcome: Sendable>(
        within limit: Duration, of body: @escaping @Sendable () -> Outcome
    ) throws(Failure) -> Outcome {
        let awaited = OneShot<Outcome>()
        let number = try begin { awaited.end(body()) }
        if let outcome = awaited.value(within: limit) { return outcome }
        giveUp(number)
        throw Failure.timedOut
    }

    /// Runs `body` when a thread is free, without waiting for it.
    ///
    /// - Returns: The number of the call.
    /// - Throws: ``Failure/rejected``.
    private func begin(_ body: @escaping @Sendable () -> Void) throws(Failure) -> Int {
        switch state.withLock({ $0.admit(body, limit: limit, queueLimit: Self.waitingLimit) }) {
        case .refused: throw .rejected
        case .queued(let number): return number
        case .runs(let call):
            // The caller's thread has a deadline, so the call cannot run there.
            guard WorkThread.start({ self.work(from: call) }) else {
                state.withLock { _ = $0.running.removeValue(forKey: call.number) }
                throw .rejected
            }
            return call.number
        }
    }

    /// Records that a call is late. A call that has not started is dropped.
    private func giveUp(_ number: Int) {
        state.withLock { state in
            if state.running[number] != nil {
                state.running[number] = true
            } else {
                state.waiting.remove { $0.number == number }
            }
        }
    }

    // MARK: Without a deadline

    /// Runs `body` when a thread is free, or on the current one if the system has no more.
    ///
    /// - Parameters:
    ///   - body: The call.
    ///   - queueLimit: How many calls may wait for a thread. Default: any number.
    /// - Returns: Whether it is called, now or later.
    package func start(_ body: @escaping @Sendable () -> Void, queueLimit: Int = .max) -> Bool {
        switch state.withLock({ $0.admit(body, limit: limit, queueLimit: queueLimit) }) {
        case .refused: return false
        case .queued: return true
        case .runs(let call):
            WorkThread.run { self.work(from: call) }
            return true
        }
    }

    private func work(from first: Call) {
        var call: Call? = first
        while let current = call {
            current.body()
            call = state.withLock { $0.next(after: current) }
        }
    }
}

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

    /// The threads for blocking calls. Shared, because the system limits the threads of a process. The limit is more
    /// than any service handles concurrently; further calls wait for one to return.
    static let calls = BoundedCalls(limit: 512)
}
