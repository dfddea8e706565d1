import Dispatch

/// A value that is set once, by any thread, and awaited once, by a task or by a thread.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaitedByTask(CheckedContinuation<Void, Never>)
        case awaitedByThread(DispatchSemaphore)
        case ended(Value?)
    }

    private let state = Locked(State.open)

    /// Creates an object without a value.
    package init() {}

    /// Sets the value; nil if there will be none. Returns false, without an effect, if that was done before.
    @discardableResult
    package func end(_ value: Value?) -> Bool {
        let earlier = state.withLock { state in
            let earlier = state
            if case .ended = earlier { return earlier }
            state = .ended(value)
            return earlier
        }
        switch earlier {
        case .open: break
        case .awaitedByTask(let continuation): continuation.resume()
        case .awaitedByThread(let semaphore): semaphore.signal()
        case .ended: return false
        }
        return true
    }

    /// Whether the value was set.
    package var isEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// Waits for the value without blocking a thread. To stop the wait, set nil.
    package func value() async -> Value? {
        await withCheckedContinuation { continuation in
            let isEnded = state.withLock { state in
                if case .ended = state { return true }
                state = .awaitedByTask(continuation)
                return false
            }
            if isEnded { continuation.resume() }
        }
        // The continuation does not carry the value: ThreadSanitizer does not see how the runtime synchronizes a
        // continuation that is resumed before its task is suspended, and would report uses of the value as races.
        return state.withLock { if case .ended(let value) = $0 { value } else { nil } }
    }

    /// Blocks the thread until there is a value, but not longer than a limit by the system's clock; nil after that.
    @discardableResult
    package func value(within limit: Duration) -> Value? {
        _ = awaitedSemaphore()?.wait(timeout: .now() + .nanoseconds(max(.zero, limit).wholeNanoseconds))
        return state.withLock { state in
            // A caller that woke late takes a value that arrived meanwhile.
            if case .ended(let value) = state { return value }
            state = .ended(nil)
            return nil
        }
    }

    /// Blocks the thread until there is a value, however long that takes. To stop the wait, set nil.
    @discardableResult
    package func blockingValue() -> Value? {
        awaitedSemaphore()?.wait()
        return state.withLock { if case .ended(let value) = $0 { value } else { nil } }
    }

    /// A semaphore that is signaled when the value is set; nil if it was set already.
    private func awaitedSemaphore() -> DispatchSemaphore? {
        state.withLock { state in
            if case .ended = state { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state = .awaitedByThread(semaphore)
            return semaphore
        }
    }
}

/// Waits for a value, but not longer than a limit.
///
/// Late work continues by itself; its value is passed to `late`, or discarded by default.
///
/// - Parameters:
///   - limit: The longest time to wait.
///   - clock: Measures the limit.
///   - executor: Runs the work. Default: the global executor.
///   - endsWhenCancelled: Whether waiting ends when the task is canceled. Default: false.
///   - body: Produces the value.
///   - late: Receives a late value. Default: it is discarded.
/// - Returns: The value, or nil if it was late. With a limit of zero, the work is not started.
package func value<Value: Sendable>(
    within limit: Duration, on clock: any Clock<Duration>, executor: (any TaskExecutor)? = nil,
    endsWhenCancelled: Bool = false, of body: @escaping @Sendable () async -> Value,
    late: @escaping @Sendable (Value) -> Void = { _ in }
) async -> Value? {
    guard limit > .zero else { return nil }
    let result = OneShot<Value>()
    return await withTaskCancellationHandler {
        let timer = Task(executorPreference: executor) {
            if (try? await clock.pause(for: limit)) != nil { result.end(nil) }
        }
        Task(executorPreference: executor) {
            let value = await body()
            if !result.end(value) { late(value) }
            timer.cancel()
        }
        return await result.value()
    } onCancel: {
        if endsWhenCancelled { result.end(nil) }
    }
}

extension Duration {
    /// The duration in nanoseconds for Dispatch, at most a year.
    package var wholeNanoseconds: Int { Int(min(self, .seconds(366 * 86_400)) / .nanoseconds(1)) }
}
