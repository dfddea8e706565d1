import Dispatch
import TurnoutClient

extension OptimizelyClient {
    /// Stops polling for this SDK key, calls pending listeners, flushes events, and writes assignments to their store.
    ///
    /// Blocks for at most ten seconds, of which listeners get at most five. Whatever is unfinished by then is logged.
    /// The client can still decide afterwards. Calling this method again, or from a listener, is safe.
    public func close() { close(within: .seconds(10)) }

    /// Does what ``close()`` does, within the given limit.
    package func close(within limit: Duration) {
        let elapsed = ContinuousClock().stopwatch()
        datafileHandler?.stopUpdates(sdkKey: parts.sdkKey)
        // A blocked listener may use up only half of the time; the other steps need the rest.
        let listeners = parts.notifications.queue
        if !listeners.drain(within: limit / 2), !listeners.isCurrent {
            parts.log(
                .warning,
                "close: a listener has not returned within \((limit / 2).logText); the notifications "
                    + "after it are still "
                    + "waiting, and so are events for an event dispatcher of your own")
        }
        waitForUnfinishedCalls(within: max(.zero, limit - elapsed()) / 2)
        // These steps run concurrently, so that a slow one does not use up the time of the others.
        let rest = max(.zero, limit - elapsed())
        let others = DispatchGroup()
        odpManager?.close(within: rest, others)
        parts.shared.storeAssignments(within: rest, others)
        if !parts.shared.closeDispatcher(within: rest) {
            parts.log(
                .warning,
                "close: the event dispatcher's close() has not returned within \(rest.logText); it "
                    + "continues in the background")
        }
        let left = max(.zero, limit - elapsed())
        if others.wait(timeout: .now() + .nanoseconds(left.wholeNanoseconds)) == .timedOut {
            parts.log(
                .warning,
                "close: assignments or ODP events were not written within \(limit.logText); writing continues "
                    + "until the process ends")
        }
    }

    /// Waits for assignments and events of decisions that have stopped waiting for a slow store.
    private func waitForUnfinishedCalls(within limit: Duration) {
        guard limit > .zero else { return }
        let left = OneShot<Int>()
        Task(executorPreference: DispatchExecutor.blockingCallers) { [runtime = parts.runtime] in
            left.end(await runtime.waitForUnfinishedCalls(within: limit))
        }
        guard left.value(within: limit) != 0 else { return }
        parts.log(.warning, "close: a call to a profile or event store has not returned within \(limit.logText)")
    }
}
