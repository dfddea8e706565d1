import TurnoutClient

struct DispatcherSettings {
    private typealias Defaults = DefaultEventDispatcher.DefaultValues

    let batchSize: Int
    let interval: Duration
    let maxQueueSize: Int
    /// The corrected setting to be logged, or nil if there is none.
    let problem: OptimizelyError?

    /// Replaces invalid values by the defaults.
    init(batchSize: Int, timerInterval: Double, maxQueueSize: Int) {
        self.batchSize = batchSize > 0 ? batchSize : Defaults.batchSize
        // NaN fails the comparison; more than a year could overflow.
        let seconds = timerInterval >= 0 ? timerInterval : Defaults.timeInterval
        interval = .seconds(min(seconds, 31_536_000))
        let size = maxQueueSize >= 100 ? maxQueueSize : Defaults.maxQueueSize
        self.maxQueueSize = max(size, self.batchSize)
        problem =
            size < self.batchSize
            ? .eventDispatcherConfigError("a queue of \(size) has no room for a batch of \(self.batchSize)") : nil
    }

    /// The settings in the queue's form.
    var options: EventOptions {
        var options = EventOptions()
        options.eventsPerRequest = batchSize
        options.interval = interval
        return options
    }
}
