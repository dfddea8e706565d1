import Foundation
import TurnoutClient

/// Which keys are polled, how often, and for whom. Knows neither time nor network.
///
/// Stopping needs no timer to be cancelled: a tick whose number is not the current one does nothing.
struct DatafilePolling {
    typealias Callback = Handed<((Data) -> Void)?>

    private struct Entry {
        let interval: Int
        var schedule: PollingSchedule
        /// The number of the run, nil: not started.
        var run: Int?
        var callback: Callback?
    }

    private var entries: [String: Entry] = [:]
    private var runCount = 0

    /// Sets the interval of a key, unless it has one.
    mutating func set(_ interval: Int, _ schedule: PollingSchedule, for sdkKey: String) {
        if entries[sdkKey] == nil { entries[sdkKey] = Entry(interval: interval, schedule: schedule) }
    }

    /// The interval of a key, or nil: none was set.
    func interval(of sdkKey: String) -> Int? { entries[sdkKey]?.interval }

    /// Starts a run for a key. Returns its number and the time until the first request, or nil: there is no interval,
    /// or it runs already.
    mutating func start(_ sdkKey: String, _ callback: Callback) -> (run: Int, delay: Duration)? {
        guard var entry = entries[sdkKey], entry.run == nil else { return nil }
        runCount += 1
        entry.run = runCount
        entry.callback = callback
        entries[sdkKey] = entry
        return (runCount, entry.schedule.delay())
    }

    /// The callback of a run, or nil: it was stopped.
    func current(_ sdkKey: String, _ run: Int) -> Callback? {
        guard let entry = entries[sdkKey], entry.run == run else { return nil }
        return entry.callback
    }

    /// Counts a request of a run. Returns the time until the next, or nil: it was stopped.
    mutating func finished(_ sdkKey: String, _ run: Int, _ failure: DownloadFailure?) -> Duration? {
        guard var entry = entries[sdkKey], entry.run == run else { return nil }
        if let failure { entry.schedule.failed(retryAfter: failure.retryAfter) } else { entry.schedule.succeeded() }
        entries[sdkKey] = entry
        return entry.schedule.delay()
    }

    /// Stops a key, and forgets its interval. Returns what was kept for it, to be released outside of locks.
    mutating func stop(_ sdkKey: String) -> Callback? { entries.removeValue(forKey: sdkKey)?.callback }

    /// Stops everything. Returns what was kept, to be released outside of locks.
    mutating func stopAll() -> [Callback] {
        defer { entries = [:] }
        return entries.values.compactMap(\.callback)
    }
}
