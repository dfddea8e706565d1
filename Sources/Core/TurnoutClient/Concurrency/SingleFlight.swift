/// Lets concurrent callers with the same key share one piece of work.
///
/// The work runs in a task of its own, on threads that blocked callers cannot occupy. It is canceled when no caller
/// waits for it any longer; later callers then start new work, so they never receive the cancellation of earlier ones.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        let number: Int
        let task: Task<Value, Never>
        var callerCount = 1
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var flightCount = 0
    }

    private let state = Locked(State())

    /// Creates an object without work in progress.
    package init() {}

    /// Returns the result of the work in progress for a key, or of new work if there is none.
    ///
    /// - Parameters:
    ///   - key: Identifies the work.
    ///   - work: The work, if there is none in progress.
    ///   - finish: Called with the result while a lock is held, unless the work was abandoned or ``reset(_:)``; must
    ///     not call this object. Default: does nothing.
    /// - Returns: The result; for a canceled caller, that of the canceled work.
    package func value(
        for key: Key, _ work: @escaping @Sendable () async -> Value,
        finish: @escaping @Sendable (Value) -> Void = { _ in }
    ) async -> Value {
        let (task, number) = join(key, work, finish)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(number, key)
        }
    }

    /// Lets later callers start new work. Earlier callers still receive the result of theirs.
    ///
    /// - Parameter body: Called while no work can finish.
    package func reset(_ body: @Sendable () -> Void = {}) {
        state.withLock { state in
            state.flights = [:]
            body()
        }
    }

    private func join(
        _ key: Key, _ work: @escaping @Sendable () async -> Value, _ finish: @escaping @Sendable (Value) -> Void
    ) -> (Task<Value, Never>, Int) {
        state.withLock { state in
            if let flight = state.flights[key] {
                state.flights[key]?.callerCount += 1
                return (flight.task, flight.number)
            }
            state.flightCount += 1
            let number = state.flightCount
            let task = Task(executorPreference: DispatchExecutor.blockingCallers) {
                let value = await work()
                self.end(number, key) { finish(value) }
                return value
            }
            state.flights[key] = Flight(number: number, task: task)
            return (task, number)
        }
    }

    private func end(_ number: Int, _ key: Key, _ finish: @Sendable () -> Void) {
        state.withLock { state in
            guard state.flights[key]?.number == number else { return }
            state.flights[key] = nil
            finish()
        }
    }

    private func leave(_ number: Int, _ key: Key) {
        let abandoned = state.withLock { state -> Task<Value, Never>? in
            guard state.flights[key]?.number == number else { return nil }
            state.flights[key]?.callerCount -= 1
            guard state.flights[key]?.callerCount == 0 else { return nil }
            return state.flights.removeValue(forKey: key)?.task
        }
        abandoned?.cancel()
    }
}
