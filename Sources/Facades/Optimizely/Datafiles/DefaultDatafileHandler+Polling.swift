import Foundation
import TurnoutClient

// Downloads run one after the other, at intervals, without a run loop, because servers have none. Between two downloads
// nothing retains the handler, and only the handler retains the callback.

extension DefaultDatafileHandler {
    func setInterval(_ interval: Int, _ sdkKey: String) {
        guard interval > 0 else { return }
        let minimum = minimumPollingInterval
        if interval < minimum {
            log(.warning, "polling interval \(interval) s is below the minimum; using \(minimum) s")
        }
        let schedule = PollingSchedule(interval: .seconds(interval), floor: .seconds(minimum), random: random)
        state.withLock { $0.polling.set(max(interval, minimum), schedule, for: sdkKey) }
    }

    func start(_ sdkKey: String, _ callback: DatafilePolling.Callback) {
        guard let started = state.withLock({ $0.polling.start(sdkKey, callback) }) else { return }
        schedule(sdkKey, started.run, after: started.delay)
    }

    private func schedule(_ sdkKey: String, _ run: Int, after delay: Duration) {
        monitor(sdkKey).nextPoll(after: delay)
        let handler = WeakUncheckedSendable(self)
        let clock = clock
        // Only measures time; downloads, which may block, run elsewhere.
        let timer = Task.detached(executorPreference: DispatchExecutor.blockingCallers) {
            guard (try? await clock.pause(for: delay)) != nil else { return }
            BlockingCall.start { handler.object?.poll(sdkKey, run) }
        }
        if !state.withLock({ $0.polling.wait(sdkKey, run, timer) }) { timer.cancel() }
    }

    private func poll(_ sdkKey: String, _ run: Int) {
        guard state.withLock({ $0.polling.current(sdkKey, run) }) != nil else { return }
        monitor(sdkKey).nextPoll(after: nil)
        let taken = clock.stopwatch()
        // Reset, because an override may bypass the code that records failures.
        state.withLock { $0.failures[sdkKey] = nil }
        // A subclass may retain the completion indefinitely; it must not retain the handler too.
        let handler = WeakUncheckedSendable(self)
        let callback = OnceCallback<Data?> { handler.object?.finishPoll(sdkKey, run, $0, taken) }
        downloadDatafile(sdkKey: sdkKey, returnCacheIfNoChange: false, resourceTimeoutInterval: nil) { result in
            callback.give { result }
        }
    }

    private func finishPoll(
        _ sdkKey: String, _ run: Int, _ result: OptimizelyResult<Data?>, _ taken: @Sendable () -> Duration
    ) {
        guard let callback = state.withLock({ $0.polling.current(sdkKey, run) }) else { return }
        let taken = taken()
        var failure = state.withLock { $0.failures[sdkKey] }
        switch result {
        // After a failure, this is the cached copy, which may be newer than the client's datafile.
        case .success(let data): if let data { callback.value?(data) }
        // The cause is logged already; the error itself may contain the SDK key.
        case .failure:
            log(.error, "polling: no datafile was downloaded and none is cached; the next request follows")
            failure = failure ?? DownloadFailure()
        }
        // The callback may have stopped polling.
        let delay = state.withLock { $0.polling.finished(sdkKey, run, failure) }
        guard let delay else { return }
        schedule(sdkKey, run, after: failure == nil ? max(.zero, delay - taken) : delay)
    }
}
