import Foundation
import TurnoutClient

/// The polling state of each SDK key: interval, schedule and callback. Pure state, without timers or network.
///
/// Stopping cancels the timer. A tick that has begun already has an outdated run number, and does nothing.
struct DatafilePolling {
    typealias Callback = UncheckedSendable<((Data) -> Void)?>

    fileprivate struct Entry: Sendable {
        let interval: Int
        var schedule: PollingSchedule
        /// The number of the current run; nil if polling has not started.
        var run: Int?
        var callback: Callback?
        /// Waits for the next request of the run.
        var timer: Task<Void, Never>?
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

    /// Sets the timer of a run. Returns whether the run is still active.
    mutating func wait(_ sdkKey: String, _ run: Int, _ timer: Task<Void, Never>) -> Bool {
        guard entries[sdkKey]?.run == run else { return false }
        entries[sdkKey]?.timer = timer
        return true
    }

    /// Stops polling for a key and removes its interval. Returns what the caller cancels and releases outside of locks.
    mutating func stop(_ sdkKey: String) -> Stopped { Stopped([entries.removeValue(forKey: sdkKey)].compactMap { $0 }) }

    /// Stops polling for all keys. Returns what the caller cancels and releases outside of locks.
    mutating func stopAll() -> Stopped {
        defer { entries = [:] }
        return Stopped(Array(entries.values))
    }

    struct Stopped: Sendable {
        private let entries: [Entry]

        fileprivate init(_ entries: [Entry]) { self.entries = entries }

        /// Releases the timers, which would otherwise wait for the rest of their intervals.
        func cancel() { for entry in entries { entry.timer?.cancel() } }
    }
}
