/// Waits for a value, but not longer than a limit.
///
/// Whatever is late goes on by itself; its value goes to `late`, by default nowhere.
///
/// - Returns: The value, or nil: too late. Without any time nothing is begun.
package func value<Value: Sendable>(
    within limit: Duration, on clock: any Clock<Duration>, executor: (any TaskExecutor)? = nil,
    of body: @escaping @Sendable () async -> Value, late: @escaping @Sendable (Value) -> Void = { _ in }
) async -> Value? {
    guard limit > .zero else { return nil }
    return await withCheckedContinuation { continuation in
        let race = Race(continuation)
        let timer = Task(executorPreference: executor) {
            if (try? await clock.pause(for: limit)) != nil { race.end(nil) }
        }
        Task(executorPreference: executor) {
            let value = await body()
            if !race.end(value) { late(value) }
            timer.cancel()
        }
    }
}

/// A continuation that two tasks want to resume.
private final class Race<Value: Sendable>: Sendable {
    private let continuation: Locked<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) { self.continuation = Locked(continuation) }

    /// Ends the race. Whether this was the winner.
    @discardableResult
    func end(_ value: Value?) -> Bool {
        let winner = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        winner?.resume(returning: value)
        return winner != nil
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
