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
        state.withLock { $0.polling.set(max(interval, minimum), for: sdkKey) }
    }

    func start(_ sdkKey: String, _ callback: DatafilePolling.Callback) {
        guard let started = state.withLock({ $0.polling.start(sdkKey, callback) }) else { return }
        schedule(sdkKey, started.run, after: started.interval)
    }

    /// Only counts the seconds: a download may block.
    private static let timer = DispatchQueue(label: "turnout.polling")

    private func schedule(_ sdkKey: String, _ run: Int, after seconds: Int) {
        let handler = HandedWeakly(self)
        Self.timer.asyncAfter(deadline: .now() + .seconds(seconds)) {
            BlockingCall.start { handler.object?.poll(sdkKey, run) }
        }
    }

    private func poll(_ sdkKey: String, _ run: Int) {
        guard state.withLock({ $0.polling.current(sdkKey, run) }) != nil else { return }
        let began = ContinuousClock.now
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
        guard let current = state.withLock({ $0.polling.current(sdkKey, run) }) else { return }
        let taken = Int((ContinuousClock.now - began).components.seconds)
        switch result {
        case .success(let data): if let data { current.callback.value?(data) }
        // Why was logged already; the error itself may contain the key.
        case .failure: log(.error, "polling: no datafile to be had")
        }
        // The callback may have stopped it.
        guard state.withLock({ $0.polling.current(sdkKey, run) }) != nil else { return }
        schedule(sdkKey, run, after: max(0, current.interval - taken))
    }
}
