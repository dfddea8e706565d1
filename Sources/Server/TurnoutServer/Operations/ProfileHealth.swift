import Synchronization
package import TurnoutClient

/// Whether the calls of a profile store succeed. The log is told when that changes.
package final class ProfileHealth: Sendable {
    package enum Call: Sendable { case lookup, write }

    private struct Outage {
        var problem: String
        var failedAt: Duration
        /// Whether a later call has succeeded.
        var isFollowedBySuccess = false
    }

    /// A store that fails now and then would fill the log: it works again once it has worked for this time.
    private static let recoveryTime = Duration.seconds(5)

    private let now: @Sendable () -> Duration
    private let log: any Log
    private let outages = Locked<[Call: Outage]>([:])
    private let losses = Atomic(0)
    /// Read with each call.
    private let hasOutage = Atomic(false)

    /// Creates the health of a store that works.
    package init(clock: any Clock<Duration> = .continuous, log: any Log) {
        now = clock.stopwatch()
        self.log = log
    }

    /// Why calls fail; nil if they succeed.
    package var problem: String? {
        endOutages()
        return outages.withLock { ($0[.lookup] ?? $0[.write])?.problem }
    }

    /// Records the outcome of a call. What concerns a single user says nothing about the store.
    package func note(_ call: Call, _ error: (any Error)?) {
        if let error { return noteFailure(call, error) }
        guard hasOutage.load(ordering: .relaxed) else { return }
        outages.withLock { $0[call]?.isFollowedBySuccess = true }
        endOutages()
    }

    /// Ends the outages that are over. There may be no further call that does.
    private func endOutages() {
        let latest = now() - Self.recoveryTime
        let ended = outages.withLock { outages in
            let ended = outages.filter { $1.isFollowedBySuccess && $1.failedAt <= latest }.keys
            for call in ended { outages[call] = nil }
            hasOutage.store(!outages.isEmpty, ordering: .relaxed)
            return ended
        }
        for call in ended {
            log(.info, call == .lookup ? "profiles: looked up again" : "profiles: assignments are stored again")
        }
    }

    /// The number of assignments that were given up.
    package var lostAssignments: Int { losses.load(ordering: .relaxed) }

    /// Records that assignments were given up. Logs powers of two: a long outage must not fill the log.
    package func noteLoss(_ count: Int) {
        let (old, new) = losses.add(count, ordering: .relaxed)
        guard new.leadingZeroBitCount < old.leadingZeroBitCount else { return }
        log(
            .error,
            "profiles: \(new) assignments are lost so far: too many wait for the store, or it refuses them; these "
                + "users may get another variation when traffic changes")
    }

    private func noteFailure(_ call: Call, _ error: any Error) {
        guard (error as? ProfileServerError)?.concernsUser != true else { return }
        let outage = Outage(problem: error.logText, failedAt: now())
        let isNew = outages.withLock { outages in
            hasOutage.store(true, ordering: .relaxed)
            return outages.updateValue(outage, forKey: call) == nil
        }
        guard isNew else { return }
        log.failure(
            .error,
            call == .lookup
                ? "profiles: cannot be looked up; users are decided without stored assignments until the store is back"
                : "profiles: assignments cannot be stored; those that wait in memory are stored when the store is back",
            error)
    }
}
