package import TurnoutClient

/// A profile store as a server uses it, with what the server reports about it.
package struct ObservedProfiles: Sendable {
    /// The name in metrics and in the status.
    package let name: String
    package let store: any ProfileStore
    private let health: ProfileHealth
    private let counts: @Sendable () -> CachedProfileStore.Counts
    /// The number of assignments that wait for the store, and why they cannot be written.
    private let waiting: @Sendable () -> (assignments: Int, error: (any Error)?)
    private let failures: @Sendable () -> ProfileFailures

    /// Puts a store over a network to use. Without a deadline in the policy, lookups have the limits of the store and
    /// of the decision.
    package init(
        _ name: String, network store: any ProfileStore, _ policy: ProfilePolicy = ProfilePolicy(),
        clock: any Clock<Duration> = .continuous, log: any Log
    ) {
        let health = ProfileHealth(clock: clock, log: log)
        let network = NetworkProfileStore(
            store, policy, clock: clock, log: log, onLookup: { health.note(.lookup, $0) },
            onWrite: { health.note(.write, $0) }, onLoss: { health.noteLoss($0) })
        (self.name, self.store, self.health) = (name, network, health)
        counts = { network.counts }
        waiting = { (network.bufferedCount, nil) }
        failures = { network.failures }
    }

    /// Puts a file to use. A look-up in it takes a thread for blocking calls, so profiles are cached for a minute.
    package init(_ name: String, file store: any EditableProfileStore, log: any Log) {
        let health = ProfileHealth(log: log)
        // 20,000 users take about 6 MB.
        let cached = CachedEditableStore(store, users: 20_000, lifetime: .seconds(60)) { health.note(.lookup, $0) }
        (self.name, self.store, self.health) = (name, cached, health)
        counts = { cached.cache.counts }
        waiting = { store.waiting }
        failures = { ProfileFailures() }
    }

    /// Why the store cannot be used; nil if it can.
    private var problem: String? { health.problem ?? waiting().error?.logText }

    package static func report(_ stores: [ObservedProfiles]) -> ServiceReport {
        var report = ServiceReport("profiles")
        report.impairment = {
            let problems = stores.compactMap { store in store.problem.map { "\(store.name): \($0)" } }
            return problems.isEmpty ? nil : problems.joined(separator: "; ")
        }
        report.status = { writer in
            writer.object { for store in stores { $0.member(store.name, store.status) } }
        }
        report.metrics = { metrics(of: stores) }
        return report
    }

    private var status: JSONValue {
        let counts = counts()
        let mean = counts.lookups == 0 ? 0 : counts.lookupTime / .microseconds(1) / Double(counts.lookups)
        return .object([
            "hits": .integer(Int64(counts.hits)), "lookups": .integer(Int64(counts.lookups)),
            "failedLookups": .integer(Int64(counts.failedLookups)),
            "meanLookupMicroseconds": .integer(Int64(mean)),
            "waitingAssignments": .integer(Int64(waiting().assignments)),
            "failedWrites": .integer(Int64(failures()[.writeFailed])),
            "lostAssignments": .integer(Int64(health.lostAssignments)),
            "problem": problem.map { .string($0) } ?? .null,
        ])
    }

    private static func metrics(of stores: [ObservedProfiles]) -> MetricsSnapshot {
        func values(_ value: (ObservedProfiles) -> Double) -> [MetricsSnapshot.Value] {
            stores.map { .init(value($0), .init("store", $0.name)) }
        }
        var snapshot = MetricsSnapshot()
        snapshot.add(
            .counter, "turnout_profile_hits_total", "Profiles that were in memory.", values { Double($0.counts().hits) }
        )
        snapshot.add(
            .counter, "turnout_profile_lookups_total", "Look-ups in the store of assignments.",
            values { Double($0.counts().lookups) })
        snapshot.add(
            .counter, "turnout_profile_lookups_failed_total", "Look-ups that failed.",
            values { Double($0.counts().failedLookups) })
        snapshot.add(
            .counter, "turnout_profile_lookup_seconds_total", "The time of all look-ups.",
            values { $0.counts().lookupTime / .seconds(1) })
        snapshot.add(
            .counter, "turnout_profile_writes_failed_total", "Attempts to store assignments that failed.",
            values { Double($0.failures()[.writeFailed]) })
        snapshot.add(
            .counter, "turnout_profile_assignments_lost_total", "Assignments that were given up.",
            values { Double($0.health.lostAssignments) })
        snapshot.add(
            .gauge, "turnout_profile_assignments_waiting", "Assignments that are not stored yet.",
            values { Double($0.waiting().assignments) })
        return snapshot
    }
}
