import Dispatch

/// Calls that may block for ever, a few at a time, for callers that wait only so long.
///
/// Each runs on a thread of its own; one that has no room waits for its turn as long as its caller does. When all that
/// run are late already, further ones are refused at once: somebody who does not answer costs nothing but the first
/// few callers' patience.
///
/// The wait is that of a semaphore, by the system's clock. It depends on no task, timer or queue, so it ends in time
/// even if all threads of Swift's tasks stand here.
package final class BoundedCalls: Sendable {
    /// Why there is no value.
    package enum Failure: Error {
        /// It did not come in time.
        case late
        /// Nobody was asked: all earlier calls are late, or too many wait already.
        case stuck
    }

    private struct Waiting {
        let number: Int
        let body: @Sendable () -> Void
        /// Whether nobody waits for it any longer.
        var isLate = false
    }

    private struct State {
        var nextNumber = 0
        /// The calls that run, and whether they are late.
        var running: [Int: Bool] = [:]
        var waiting: [Waiting] = []
    }

    /// More than any program has threads to wait here; those whose callers left count as well.
    private static let waitingLimit = 1_000

    private let limit: Int
    private let state = Locked(State())

    /// Makes room for so many calls at a time, at least one.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Calls `body`, and waits for its value, but not longer than a limit.
    ///
    /// - Parameters:
    ///   - limit: How long to wait, for the turn and the call together.
    ///   - body: Makes the value. If its turn has not come in time, it is not called.
    /// - Returns: The value.
    /// - Throws: ``Failure``, or what `body` throws.
    func value<Value: Sendable>(
        within limit: Duration, of body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        try outcome(within: limit) { Result { try body() } }.get()
    }

    /// Calls `body`, which fails in its own way, and waits for what comes out, but not longer than a limit.
    ///
    /// - Parameters:
    ///   - limit: How long to wait, for the turn and the call together.
    ///   - body: Makes the outcome. If its turn has not come in time, it is not called.
    /// - Returns: The outcome.
    /// - Throws: ``Failure``.
    package func outcome<Outcome: Sendable>(
        within limit: Duration, of body: @escaping @Sendable () -> Outcome
    ) throws(Failure) -> Outcome {
        let awaited = Awaited<Outcome>()
        let number = try begin { _ = awaited.finish(body()) }
        if let outcome = awaited.value(within: limit) { return outcome }
        giveUp(number, goesOn: false)
        throw Failure.late
    }

    /// Calls `body` when its turn comes, for those who wait for it by themselves.
    ///
    /// - Returns: The number of the call.
    /// - Throws: ``Failure/stuck``.
    func begin(_ body: @escaping @Sendable () -> Void) throws(Failure) -> Int {
        let (number, runs) = try state.withLock { (state) throws(Failure) in
            let number = state.nextNumber
            state.nextNumber += 1
            let hasRoom = state.running.count < limit
            if hasRoom {
                state.running[number] = false
            } else {
                let isStuck = state.running.values.allSatisfy { $0 } || state.waiting.count >= Self.waitingLimit
                if isStuck { throw Failure.stuck }
                state.waiting.append(Waiting(number: number, body: body))
            }
            return (number, hasRoom)
        }
        if runs { BlockingCall.startUnbounded { self.work(from: Waiting(number: number, body: body)) } }
        return number
    }

    private func work(from first: Waiting) {
        var call: Waiting? = first
        while let current = call {
            current.body()
            call = state.withLock { state in
                state.running[current.number] = nil
                guard !state.waiting.isEmpty else { return nil }
                let next = state.waiting.removeFirst()
                state.running[next.number] = next.isLate
                return next
            }
        }
    }

    /// Notes that a call is late. With `goesOn` it is made nevertheless if its turn has not come.
    func giveUp(_ number: Int, goesOn: Bool) {
        state.withLock { state in
            if state.running[number] != nil {
                state.running[number] = true
            } else if !goesOn {
                state.waiting.removeAll { $0.number == number }
            } else if let place = state.waiting.firstIndex(where: { $0.number == number }) {
                state.waiting[place].isLate = true
            }
        }
    }

    /// Notes that who is asked has answered, although the call goes on: it is not late any more.
    func answered(_ number: Int) {
        state.withLock { if $0.running[number] != nil { $0.running[number] = false } }
    }
}

/// A value that one thread makes and another waits for.
final class Awaited<Value: Sendable>: Sendable {
    private enum State {
        case open
        case finished(Value)
        case abandoned
    }

    private let state = Locked(State.open)
    private let isFinished = DispatchSemaphore(value: 0)

    /// Hands the value over. Whether anybody still waits for it.
    func finish(_ value: Value) -> Bool {
        let isWanted = state.withLock { state in
            guard case .open = state else { return false }
            state = .finished(value)
            return true
        }
        if isWanted { isFinished.signal() }
        return isWanted
    }

    /// The value, or nil: it is too late, and nobody waits any more.
    func value(within limit: Duration) -> Value? {
        _ = isFinished.wait(timeout: .now() + .nanoseconds(max(.zero, limit).wholeNanoseconds))
        return state.withLock { state in
            // Whoever was not woken in time takes what has come meanwhile.
            guard case .finished(let value) = state else {
                state = .abandoned
                return nil
            }
            return value
        }
    }
}
