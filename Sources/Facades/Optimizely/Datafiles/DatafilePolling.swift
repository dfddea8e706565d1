import Foundation
import TurnoutClient

/// The polling state of each SDK key: interval, schedule and callback. Pure state, without timers or network.
///
/// Stopping does not cancel a timer: a tick whose run number is outdated does nothing.
struct DatafilePolling {
    typealias Callback = UncheckedSendable<((Data) -> Void)?>

    private struct Entry {
        let interval: Int
        var schedule: PollingSchedule
        /// The number of the current run; nil if polling has not started.
        var run: Int?
        var callback: Callback?
    }

    private var entries: [String: Entry] = [:]
    private var runCount = 0

    /// Sets the interval for a key, unless it has one.
    mutating func set(_ interval: Int, _ schedule: PollingSchedule, for sdkKey: String) {
        if entries[sdkKey] == nil { entries[sdkKey] = Entry(interval: interval, schedule: schedule) }
    }

    /// The interval for a key, or nil if none is set.
    func interval(of sdkKey: String) -> Int? { entries[sdkKey]?.interval }

    /// Starts a run for a key. Returns its number and the delay until the first request, or nil if no interval is set
    /// or a run is active.
    mutating func start(_ sdkKey: String, _ callback: Callback) -> (run: Int, delay: Duration)? {
        guard var entry = entries[sdkKey], entry.run == nil else { return nil }
        runCount += 1
        entry.run = runCount
        entry.callback = callback
        entries[sdkKey] = entry
        return (runCount, entry.schedule.delay())
    }

    /// The callback of a run, or nil if the run was stopped.
    func current(_ sdkKey: String, _ run: Int) -> Callback? {
        guard let entry = entries[sdkKey], entry.run == run else { return nil }
        return entry.callback
    }

    /// Records the end of a request of a run. Returns the delay until the next request, or nil if the run was stopped.
    mutating func finished(_ sdkKey: String, _ run: Int, _ failure: DownloadFailure?) -> Duration? {
        guard var entry = entries[sdkKey], entry.run == run else { return nil }
        if let failure { entry.schedule.failed(retryAfter: failure.retryAfter) } else { entry.schedule.succeeded() }
        entries[sdkKey] = entry
        return entry.schedule.delay()
    }

    /// Stops polling for a key and removes its interval. Returns the callback, which the caller releases outside of
    /// locks.
    mutating func stop(_ sdkKey: String) -> Callback? { entries.removeValue(forKey: sdkKey)?.callback }

    /// Stops polling for all keys. Returns the callbacks, which the caller releases outside of locks.
    mutating func stopAll() -> [Callback] {
        defer { entries = [:] }
        return entries.values.compactMap(\.callback)
    }
}
