import Foundation
import TurnoutClient

/// The polling of one SDK key. Stopping removes it; a request that has begun by then has an outdated run number, and
/// changes nothing.
struct DatafilePoll: Sendable {
    typealias Callback = UncheckedSendable<((Data) -> Void)?>

    var schedule: PollingSchedule
    /// The number of the run; nil if polling has not started.
    var run: Int?
    var callback: Callback?
    /// Waits between the requests of the run.
    var timer: Task<Void, Never>?
}

// Downloads run one after the other, at intervals, without a run loop, because servers have none. Between two downloads
// nothing retains the handler, and only the handler retains the callback.

extension DefaultDatafileHandler {
    func setInterval(_ interval: Int, _ sdkKey: String) {
        guard interval > 0 else { return }
        let schedule = PollingSchedule(
            interval: .seconds(interval), floor: .seconds(minimumPollingInterval), random: random, log: log)
        state.withLock { if $0.polls[sdkKey] == nil { $0.polls[sdkKey] = DatafilePoll(schedule: schedule) } }
    }

    func start(_ sdkKey: String, _ callback: DatafilePoll.Callback) {
        let (handler, clock) = (WeakUncheckedSendable(self), clock)
        let delay = state.withLock { state -> Duration? in
            guard var poll = state.polls[sdkKey], poll.run == nil else { return nil }
            state.runCount += 1
            let (run, delay) = (state.runCount, poll.schedule.delay())
            (poll.run, poll.callback) = (run, callback)
            // Only measures time; downloads, which may block, run elsewhere.
            poll.timer = Task.detached(executorPreference: DispatchExecutor.blockingCallers) {
                var pause = Optional(delay)
                while let delay = pause, (try? await clock.pause(for: delay)) != nil {
                    pause = await Self.poll(handler, sdkKey, run, clock)
                }
            }
            state.polls[sdkKey] = poll
            return delay
        }
        if let delay { monitor(sdkKey).nextPoll(after: delay) }
    }

    /// Downloads a datafile, and passes it to the callback. Returns the time until the next request, or nil if the run
    /// has ended.
    private static func poll(
        _ handler: WeakUncheckedSendable<DefaultDatafileHandler>, _ sdkKey: String, _ run: Int,
        _ clock: any Clock<Duration>
    ) async -> Duration? {
        await withCheckedContinuation { continuation in
            BlockingCall.start {
                let taken = clock.stopwatch()
                // A subclass may retain the completion indefinitely; it must not retain the handler too.
                let callback = OnceCallback<Data?> { result in
                    continuation.resume(returning: handler.object?.finish(sdkKey, run, result, taken))
                }
                handler.object?.request(sdkKey, run, callback)
            }
        }
    }

    private func request(_ sdkKey: String, _ run: Int, _ callback: OnceCallback<Data?>) {
        let isCurrent = state.withLock { state in
            guard state.polls[sdkKey]?.run == run else { return false }
            // Reset, because an override may bypass the code that records failures.
            state.failures[sdkKey] = nil
            return true
        }
        guard isCurrent else { return }
        monitor(sdkKey).nextPoll(after: nil)
        download(sdkKey, callback)
    }

    private func finish(
        _ sdkKey: String, _ run: Int, _ result: OptimizelyResult<Data?>, _ taken: @Sendable () -> Duration
    ) -> Duration? {
        let (poll, recorded) = state.withLock { ($0.polls[sdkKey], $0.failures[sdkKey]) }
        guard let poll, poll.run == run else { return nil }
        let taken = taken()
        var failure = recorded
        switch result {
        // After a failure, this is the cached copy, which may be newer than the client's datafile.
        case .success(let data): if let data { poll.callback?.value?(data) }
        // The cause is logged already; the error itself may contain the SDK key.
        case .failure:
            log(.error, "polling: no datafile was downloaded and none is cached; the next request follows")
            failure = failure ?? DownloadFailure()
        }
        let delay = state.withLock { state -> Duration? in
            // The callback may have stopped polling.
            guard var poll = state.polls[sdkKey], poll.run == run else { return nil }
            if let failure { poll.schedule.failed(retryAfter: failure.retryAfter) } else { poll.schedule.succeeded() }
            state.polls[sdkKey] = poll
            return poll.schedule.delay()
        }
        guard let delay else { return nil }
        let pause = failure == nil ? max(.zero, delay - taken) : delay
        monitor(sdkKey).nextPoll(after: pause)
        return pause
    }
}
