/// Records what happens to a client's datafile, for its status, and detects when the datafile becomes stale.
package final class DatafileMonitor: Sendable {
    /// The outcome of a request for a newer datafile.
    package enum Outcome: Sendable {
        case changed
        case unchanged
        case failed(any PrintableError)
    }

    private struct StalenessReport {
        let isStale: Bool
        let message: String
    }

    private struct State {
        var revision: String?
        var contentHash: Int?
        var origin: DatafileStatus.Origin?
        var lastError: String?
        var requests = DatafileRequests()
        var stream: DatafileStreamStatus?
        // Times of the monotonic clock.
        var changed: Duration?
        var checked: Duration?
        var confirmed: Duration?
        var nextPoll: Duration?
        // Times of day.
        var changeTime: Int64?
        var checkTime: Int64?
        var isStale = false
        /// Sleeps until the datafile becomes stale, and again if it was confirmed meanwhile.
        var timer: Task<Void, Never>?
        /// Distinguishes the current timer from canceled ones.
        var timerID = 0
        var isStopped = false
        /// The reports that are due, oldest first.
        var reports: [StalenessReport] = []
        var isReporting = false

        /// The parts whose changes are announced.
        var announced: [String?] {
            [
                revision, contentHash.map { "\($0)" }, origin?.rawValue, lastError, isStale ? "stale" : nil,
                stream.map { "\($0.isOpen)" },
            ]
        }

        /// Returns the oldest report to the one caller that reports.
        mutating func nextReport(to caller: inout Bool) -> StalenessReport? {
            if isReporting, !caller { return nil }
            (isReporting, caller) = (!reports.isEmpty, true)
            return reports.isEmpty ? nil : reports.removeFirst()
        }
    }

    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let log: any Log
    private let maximumAge: Duration?
    private let onStaleness: @Sendable (_ isStale: Bool) -> Void
    private let uptime: @Sendable () -> Duration
    private let state = Locked(State())
    /// Sent when the datafile, the last error, staleness or the stream of changes changes.
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

    package var status: DatafileStatus {
        let now = uptime()
        return state.withLock { state in
            var status = DatafileStatus()
            (status.revision, status.origin, status.lastError) = (state.revision, state.origin, state.lastError)
            (status.requests, status.stream) = (state.requests, state.stream)
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
    ///   - project: Its content.
    ///   - origin: Where it comes from.
    package func installed(_ project: Project, _ origin: DatafileStatus.Origin) {
        change { state, now in
            let isNew = state.contentHash != project.contentHash
            if isNew { (state.changed, state.changeTime) = (now, wallClock.millisecondsSince1970()) }
            (state.revision, state.contentHash, state.origin) = (project.revision, project.contentHash, origin)
            switch origin {
            case .passed, .downloaded: state.lastError = nil
            // Installing the same copy again does not make it newer.
            case .cached, .bundled: if !isNew, state.confirmed != nil { return false }
            }
            return true
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

    /// Records what the source learns about changes.
    package func received(_ report: DatafileChangeReport) {
        change { state, _ in
            var stream = state.stream ?? DatafileStreamStatus()
            switch report {
            case .opened:
                stream.isOpen = true
                stream.openings += 1
            case .changed: stream.changes += 1
            case .closed: stream.isOpen = false
            }
            state.stream = stream
            return false
        }
    }

    /// Records that the client does not listen to the stream of changes any more.
    package func streamStopped() {
        change { state, _ in
            state.stream?.isOpen = false
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
        let isChanged = state.withLock { state in
            let old = state.announced
            if body(&state, now) {
                state.confirmed = now
                setStale(false, &state)
                startTimer(&state)
            }
            return state.announced != old
        }
        report()
        if isChanged { changes.send() }
    }

    // MARK: Staleness

    /// Detects staleness again after ``stop()``.
    package func start() {
        state.withLock { state in
            state.isStopped = false
            startTimer(&state)
        }
    }

    /// Ends the timer. Until ``start()`` nothing is reported, but ``status`` still tells whether the datafile is stale.
    package func stop() {
        let timer = state.withLock { state in
            state.isStopped = true
            state.reports = []
            state.timerID += 1
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    /// Starts the timer, unless it runs already, or there is nothing to wait for.
    private func startTimer(_ state: inout State) {
        guard maximumAge != nil, !state.isStopped, !state.isStale, state.confirmed != nil, state.timer == nil else {
            return
        }
        state.timerID += 1
        let id = state.timerID
        state.timer = Task.detached { [weak self, clock] in
            // The task holds no reference to the monitor while it sleeps.
            while let pause = self?.timeUntilStale(id) {
                guard (try? await clock.pause(for: pause)) != nil else { return }
            }
        }
    }

    /// The time that the timer has to sleep. Nil ends it: the datafile is stale now, which this reports, or there is
    /// none, or another timer has replaced this one.
    private func timeUntilStale(_ id: Int) -> Duration? {
        let now = uptime()
        let (pause, becameStale): (Duration?, Bool) = state.withLock { state in
            guard let maximumAge, state.timerID == id else { return (nil, false) }
            let rest = state.confirmed.map { $0 + maximumAge - now }
            if let rest, rest > .zero { return (rest, false) }
            state.timer = nil
            if rest != nil { setStale(true, &state) }
            return (nil, rest != nil)
        }
        if becameStale {
            report()
            changes.send()
        }
        return pause
    }

    /// Sets whether the datafile is stale. A change is reported with the next ``report()``.
    private func setStale(_ isStale: Bool, _ state: inout State) {
        guard state.isStale != isStale else { return }
        state.isStale = isStale
        guard !state.isStopped else { return }
        let datafile = "the datafile, revision \(state.revision ?? "")"
        let age = (maximumAge ?? .zero).logText
        let cause = state.lastError.map { ": \($0)" } ?? ""
        let message =
            isStale ? "\(datafile), is stale: not confirmed for \(age)\(cause)" : "\(datafile), is current again"
        state.reports.append(StalenessReport(isStale: isStale, message: message))
    }

    /// Reports what is due, in the order of the changes. If another call is reporting, that call does it.
    private func report() {
        var isReporting = false
        while let report = state.withLock({ $0.nextReport(to: &isReporting) }) {
            log(report.isStale ? .warning : .info, report.message)
            onStaleness(report.isStale)
        }
    }
}
