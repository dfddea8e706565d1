package import TurnoutClient

/// A lazily created value. Concurrent callers share one attempt. A failed attempt is forgotten, and the next caller
/// makes another one. Waiting blocks no thread.
///
/// Not a `SingleFlight`, which forgets each result and runs a task: this keeps the value until the process forks,
/// and the driver's callbacks pass it on.
package final class SharedValue<Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, ProfileServerError>
    package typealias Receiver = @Sendable (Outcome) -> Void

    private struct State {
        var value: Value?
        /// The receivers that wait for the attempt; nil without one.
        var receivers: [Receiver]?
        var generation = Fork.generation
    }

    private enum Step {
        case end(Outcome)
        case wait
        case make
    }

    /// How many callers may wait for an attempt.
    private static var limit: Int { 1_000 }

    private let state = Locked(State())

    /// Creates an object without a value.
    package init() {}

    /// Passes the value to `receive`, at once if it is known.
    ///
    /// - Parameters:
    ///   - receive: Called once, on any thread; at once with `overloaded` if a thousand callers wait already.
    ///   - make: Makes the value, and passes it on.
    package func get(_ receive: @escaping Receiver, create make: (@escaping Receiver) -> Void) {
        let step: Step = state.withLock { state in
            // In a forked process, the threads that serve the value do not exist.
            if state.generation != Fork.generation { state = State() }
            if let value = state.value { return .end(.success(value)) }
            guard let count = state.receivers?.count else {
                state.receivers = [receive]
                return .make
            }
            guard count < Self.limit else { return .end(.failure(.overloaded)) }
            state.receivers?.append(receive)
            return .wait
        }
        switch step {
        case .end(let outcome): receive(outcome)
        case .wait: break
        case .make: make { self.end($0) }
        }
    }

    private func end(_ outcome: Outcome) {
        let receivers: [Receiver] = state.withLock { state in
            guard let receivers = state.receivers else { return [] }
            state.receivers = nil
            if case .success(let value) = outcome { state.value = value }
            return receivers
        }
        for receive in receivers { receive(outcome) }
    }
}
