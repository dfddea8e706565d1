import TurnoutClient

/// What a dispatcher was asked for, made usable.
struct DispatcherSettings {
    private typealias Defaults = DefaultEventDispatcher.DefaultValues

    let batchSize: Int
    let interval: Duration
    let maxQueueSize: Int
    /// What had to be changed and should be said, or nil: nothing.
    let problem: OptimizelyError?

    /// Replaces what makes no sense by the defaults.
    init(batchSize: Int, timerInterval: Double, maxQueueSize: Int) {
        self.batchSize = batchSize > 0 ? batchSize : Defaults.batchSize
        // Not a number fails both comparisons; more than a year would overflow sooner or later.
        let seconds = timerInterval >= 0 ? timerInterval : Defaults.timeInterval
        interval = .seconds(min(seconds, 31_536_000))
        let size = maxQueueSize >= 100 ? maxQueueSize : Defaults.maxQueueSize
        self.maxQueueSize = max(size, self.batchSize)
        problem =
            size < self.batchSize
            ? .eventDispatcherConfigError("a queue of \(size) has no room for a batch of \(self.batchSize)") : nil
    }

    /// The settings as the queue understands them.
    var options: EventOptions {
        var options = EventOptions()
        options.eventsPerRequest = batchSize
        options.interval = interval
        return options
    }
}
