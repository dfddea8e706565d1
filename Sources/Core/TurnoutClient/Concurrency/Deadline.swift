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
