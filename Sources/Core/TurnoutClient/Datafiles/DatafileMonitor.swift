/// Records what happens to a client's datafile, for its status, and detects when the datafile becomes stale.
package final class DatafileMonitor: Sendable {
    /// The outcome of a request for a newer datafile.
    package enum Outcome: Sendable {
        case changed
        case unchanged
        case failed(any PrintableError)
    }

    private struct State {
        var revision: String?
        var origin: DatafileStatus.Origin?
        var lastError: String?
        var requests = DatafileRequests()
        // Times of the monotonic clock.
        var changed: Duration?
        var checked: Duration?
        var confirmed: Duration?
        var nextPoll: Duration?
        // Times of day.
        var changeTime: Int64?
        var checkTime: Int64?
        var isStale = false
        /// The number of confirmations: a timer that an earlier one started has no effect.
        var confirmationCount = 0
        var timer: Task<Void, Never>?

        /// The parts whose changes are announced.
        var announced: [String?] { [revision, origin?.rawValue, lastError, isStale ? "stale" : nil] }
    }

    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let log: any Log
    private let maximumAge: Duration?
    private let onStaleness: @Sendable (_ isStale: Bool) -> Void
    private let uptime: @Sendable () -> Duration
    private let state = Locked(State())
    /// Sent when the datafile, the last error or staleness changes.
    package let changes: ChangeSignal

    /// Creates a monitor of a client without a datafile.
    ///
    /// - Parameters:
    ///   - maximumAge: The age at which a datafile becomes stale. Default: nil, never.
    ///   - clock: Measures ages.
    ///   - wallClock: Tells the time of day of checks and changes.
    ///   - log: Receives a line when the datafile becomes stale, and when it is current again.
    ///   - changes: Is sent after each change. Default: a new one.
    ///   - onStaleness: Called when the datafile becomes stale, and when it is current again. Default: does nothing.
    package init(
        maximumAge: Duration? = nil, clock: any Clock<Duration>, wallClock: any WallClock, log: any Log,
        changes: ChangeSignal = ChangeSignal(), onStaleness: @escaping @Sendable (_ isStale: Bool) -> Void = { _ in }
    ) {
        (self.clock, self.wallClock, self.log) = (clock, wallClock, log)
        (self.maximumAge, self.changes, self.onStaleness) = (maximumAge, changes, onStaleness)
        uptime = clock.stopwatch()
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    /// The current status.
    package var status: DatafileStatus {
        let now = uptime()
        return state.withLock { state in
            var status = DatafileStatus()
            (status.revision, status.origin, status.lastError) = (state.revision, state.origin, state.lastError)
            status.requests = state.requests
            status.lastChange = state.changed.map { now - $0 }
            status.lastCheck = state.checked.map { now - $0 }
            status.age = state.confirmed.map { now - $0 }
            status.nextPoll = state.nextPoll.map { max(.zero, $0 - now) }
            (status.changeTime, status.checkTime) = (state.changeTime, state.checkTime)
            if let maximumAge, let age = status.age { status.isStale = age >= maximumAge }
            return status
        }
    }

    // MARK: Recording

    /// Records that a client uses a datafile from now on.
    ///
    /// - Parameters:
    ///   - revision: Its revision.
    ///   - origin: Where it comes from.
    package func installed(revision: String, _ origin: DatafileStatus.Origin) {
        change { state, now in
            let isNew = state.revision != revision
            if isNew { (state.changed, state.changeTime) = (now, wallClock.millisecondsSince1970()) }
            (state.revision, state.origin) = (revision, origin)
            switch origin {
            case .passed, .downloaded: state.lastError = nil
            // Installing the same copy again does not make it newer.
            case .cached, .bundled: if !isNew, state.confirmed != nil { return false }
            }
            return true
        }
    }

    /// Records that a client has no datafile any more.
    package func uninstalled() {
        change { state, _ in
            (state.revision, state.origin, state.changed, state.confirmed) = (nil, nil, nil, nil)
            state.changeTime = nil
            return false
        }
    }

    /// Records the end of a request.
    package func requestEnded(_ outcome: Outcome) {
        change { state, now in
            switch outcome {
            case .changed: state.requests.changed += 1
            case .unchanged: state.requests.unchanged += 1
            case .failed(let error):
                state.requests.failed += 1
                state.lastError = "\(error)"
                return false
            }
            state.lastError = nil
            (state.checked, state.checkTime) = (now, wallClock.millisecondsSince1970())
            return state.revision != nil
        }
    }

    /// Records that a datafile from the program could not be used.
    package func refused(_ error: any PrintableError) {
        change { state, _ in
            state.lastError = "\(error)"
            return false
        }
    }

    /// Records when the next request follows; nil: none does.
    package func nextPoll(after delay: Duration?) {
        let now = uptime()
        state.withLock { $0.nextPoll = delay.map { now + $0 } }
    }

    /// Changes the state. `body` returns whether the datafile is now known to be the newest.
    private func change(_ body: (inout State, _ now: Duration) -> Bool) {
        let now = uptime()
        let (isChanged, hasRecovered, confirmation) = state.withLock { state in
            let (old, wasStale) = (state.announced, state.isStale)
            guard body(&state, now) else { return (state.announced != old, false, Int?.none) }
            state.confirmed = now
            state.isStale = false
            state.confirmationCount += 1
            return (state.announced != old, wasStale, state.confirmationCount)
        }
        if let confirmation { startTimer(confirmation) }
        if hasRecovered { reportStaleness(false) }
        if isChanged { changes.send() }
    }

    // MARK: Staleness

    private func startTimer(_ confirmation: Int) {
        guard let maximumAge else { return }
        let timer = Task { [weak self, clock] in
            guard (try? await clock.pause(for: maximumAge)) != nil else { return }
            self?.expire(confirmation)
        }
        let outdated = state.withLock { state in
            guard state.confirmationCount == confirmation else { return Optional(timer) }
            defer { state.timer = timer }
            return state.timer
        }
        outdated?.cancel()
    }

    private func expire(_ confirmation: Int) {
        let becomesStale = state.withLock { state in
            guard state.confirmationCount == confirmation, state.revision != nil else { return false }
            state.isStale = true
            return true
        }
        guard becomesStale else { return }
        reportStaleness(true)
        changes.send()
    }

    private func reportStaleness(_ isStale: Bool) {
        let status = status
        let revision = status.revision ?? ""
        if isStale {
            let age = (maximumAge ?? .zero).logText
            let cause = status.lastError.map { ": \($0)" } ?? ""
            log(.warning, "the datafile, revision \(revision), is stale: not confirmed for \(age)\(cause)")
        } else {
            log(.info, "the datafile, revision \(revision), is current again")
        }
        onStaleness(isStale)
    }
}
