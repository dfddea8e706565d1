/// Waits for a value, but not longer than a limit.
///
/// Whatever is late goes on by itself; its value goes to `late`, by default nowhere.
///
/// - Parameters:
///   - limit: The longest time to wait.
///   - clock: Measures it.
///   - executor: Runs the work. Default: that of all tasks.
///   - endsWhenCancelled: Whether the time is up when the task is cancelled. Default: no.
///   - body: Makes the value.
///   - late: Takes a value that came too late. Default: nobody.
/// - Returns: The value, or nil: too late. Without any time nothing is begun.
package func value<Value: Sendable>(
    within limit: Duration, on clock: any Clock<Duration>, executor: (any TaskExecutor)? = nil,
    endsWhenCancelled: Bool = false, of body: @escaping @Sendable () async -> Value,
    late: @escaping @Sendable (Value) -> Void = { _ in }
) async -> Value? {
    guard limit > .zero else { return nil }
    let race = Race<Value>()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            race.begin(continuation)
            let timer = Task(executorPreference: executor) {
                if (try? await clock.pause(for: limit)) != nil { race.end(nil) }
            }
            Task(executorPreference: executor) {
                let value = await body()
                if !race.end(value) { late(value) }
                timer.cancel()
            }
        }
    } onCancel: {
        if endsWhenCancelled { race.end(nil) }
    }
}

/// A continuation that two tasks want to resume.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value?, Never>?
        var isOver = false
    }

    private let state = Locked(State())

    /// Names who waits for the end. If it is over already, that is too late.
    func begin(_ continuation: CheckedContinuation<Value?, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
        }
        if isOver { continuation.resume(returning: nil) }
    }

    /// Ends the race. Whether this was the winner.
    @discardableResult
    func end(_ value: Value?) -> Bool {
        let (continuation, isFirst) = state.withLock { state in
            defer { state = State(isOver: true) }
            return (state.continuation, !state.isOver)
        }
        continuation?.resume(returning: value)
        return isFirst
    }
}

extension Clock where Duration == Swift.Duration {
    /// Sleeps for some time; longer than a year is a year, which the system's clocks can still count.
    func pause(for duration: Duration) async throws { try await sleep(for: min(duration, .seconds(366 * 86_400))) }
}

extension Duration {
    /// The time as Dispatch wants it, at most a year.
    package var wholeNanoseconds: Int { Int(min(self, .seconds(366 * 86_400)) / .nanoseconds(1)) }
}
