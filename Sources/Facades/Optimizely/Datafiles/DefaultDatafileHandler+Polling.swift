import Foundation
import TurnoutClient

// One download after the other, at intervals, without a run loop: servers have none. Between two downloads nobody keeps
// the handler, and nobody but the handler keeps the callback.

extension DefaultDatafileHandler {
    func setInterval(_ interval: Int, _ sdkKey: String) {
        guard interval > 0 else { return }
        let minimum = minimumPollingInterval
        if interval < minimum {
            log(.warning, "polling every \(interval) s is too often, every \(minimum) s it is")
        }
        let schedule = PollingSchedule(interval: .seconds(interval), floor: .seconds(minimum), random: random)
        state.withLock { $0.polling.set(max(interval, minimum), schedule, for: sdkKey) }
    }

    func start(_ sdkKey: String, _ callback: DatafilePolling.Callback) {
        guard let started = state.withLock({ $0.polling.start(sdkKey, callback) }) else { return }
        schedule(sdkKey, started.run, after: started.delay)
    }

    /// Only measures the time: a download may block.
    private static let timer = DispatchQueue(label: "turnout.polling")

    private func schedule(_ sdkKey: String, _ run: Int, after delay: Duration) {
        let handler = HandedWeakly(self)
        Self.timer.asyncAfter(deadline: .now() + .nanoseconds(delay.wholeNanoseconds)) {
            BlockingCall.start { handler.object?.poll(sdkKey, run) }
        }
    }

    private func poll(_ sdkKey: String, _ run: Int) {
        guard state.withLock({ $0.polling.current(sdkKey, run) }) != nil else { return }
        let began = ContinuousClock.now
        // An override may not go the way that tells of failures.
        state.withLock { $0.failures[sdkKey] = nil }
        // A subclass may keep the completion for ever, but not the handler with it.
        let handler = HandedWeakly(self)
        let answer = SingleAnswer<Data?> { handler.object?.finishPoll(sdkKey, run, $0, began) }
        downloadDatafile(sdkKey: sdkKey, returnCacheIfNoChange: false, resourceTimeoutInterval: nil) { result in
            answer.give { result }
        }
    }

    private func finishPoll(
        _ sdkKey: String, _ run: Int, _ result: OptimizelyResult<Data?>, _ began: ContinuousClock.Instant
    ) {
        guard let callback = state.withLock({ $0.polling.current(sdkKey, run) }) else { return }
        let taken = ContinuousClock.now - began
        var failure = state.withLock { $0.failures[sdkKey] }
        switch result {
        // After a failure that is the kept copy, which may be newer than what the client has.
        case .success(let data): if let data { callback.value?(data) }
        // Why was logged already; the error itself may contain the key.
        case .failure:
            log(.error, "polling: no datafile to be had")
            failure = failure ?? DownloadFailure()
        }
        // The callback may have stopped it.
        let delay = state.withLock { $0.polling.finished(sdkKey, run, failure) }
        guard let delay else { return }
        schedule(sdkKey, run, after: failure == nil ? max(.zero, delay - taken) : delay)
    }
}
