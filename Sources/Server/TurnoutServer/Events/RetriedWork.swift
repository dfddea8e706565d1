import TurnoutClient

/// Steps that are done one after another until the task is canceled.
///
/// After a failure there is a pause, longer each time. The log says when steps begin to fail, and when they work again.
final class RetriedWork: Sendable {
    private struct State {
        var problem: String?
        var failures = 0
    }

    private let failure: String
    private let recovery: String
    private let backoff: Backoff
    private let clock: any Clock<Duration>
    private let messages: any Log
    private let state = Locked(State())

    /// - Parameters:
    ///   - failure: What the log says before the cause when steps begin to fail.
    ///   - recovery: What it says when they work again.
    ///   - backoff: The pauses after failures.
    ///   - clock: Measures pauses.
    ///   - messages: The log.
    init(failure: String, recovery: String, _ backoff: Backoff, clock: any Clock<Duration>, messages: any Log) {
        (self.failure, self.recovery, self.backoff) = (failure, recovery, backoff)
        (self.clock, self.messages) = (clock, messages)
    }

    /// Why the last step failed; nil if it did not.
    var problem: String? { state.withLock { $0.problem } }

    /// The number of steps that failed.
    var failures: Int { state.withLock { $0.failures } }

    /// Does a step, which returns the pause before the next one, until the task is canceled.
    func run(_ step: () async throws -> Duration) async {
        var backoff = backoff
        while !Task.isCancelled {
            let pause: Duration
            do {
                pause = try await step()
                backoff.reset()
                report(nil)
            } catch {
                guard !Task.isCancelled, !(error is CancellationError) else { return }
                pause = backoff.delay()
                report(error)
            }
            if pause > .zero { try? await clock.sleep(for: pause, tolerance: nil) }
        }
    }

    private func report(_ error: (any Error)?) {
        let text = error?.logText
        let earlier = state.withLock { state in
            defer { state.problem = text }
            if error != nil { state.failures += 1 }
            return state.problem
        }
        guard text != earlier else { return }
        if let error {
            messages.failure(.error, "\(failure); they stay in the log, and this is tried again", error)
        } else {
            messages(.info, recovery)
        }
    }
}
