package import TurnoutClient
package import TurnoutEngine

/// A profile store over a network, as a server uses it: with a cache, gathered look-ups and writes in the background.
///
/// - A profile that was looked up is used for ``age``. What other servers store is used after that time at the latest.
/// - Look-ups of concurrent requests are one call of the store.
/// - New assignments are stored after the response, those of several users at the same time. ``flush(within:)`` waits
///   for them.
package final class NetworkProfileStore: AwaitableProfileStore {
    /// How long a profile is used after its look-up.
    package static let age = Duration.seconds(5)
    /// The approximate number of cached users, about 6 MB.
    private static let users = 20_000
    /// The most assignments that wait for the store, about 30 MB.
    private static let bufferLimit = 100_000

    private let store: any ProfileStore
    private let lookups: BatchedLookups
    private let buffer: WriteBehindProfileStore?
    private let cache: CachedProfileStore
    private let health: ProfileHealth?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - store: The store over a network.
    ///   - writesBehind: Whether assignments are stored after the response. Default: true.
    ///   - health: Is told the outcome of each call. Default: nil.
    ///   - clock: Measures ages and pauses. Default: the system's clock.
    ///   - log: Receives failures.
    package init(
        _ store: any ProfileStore, writesBehind: Bool = true, health: ProfileHealth? = nil,
        clock: any Clock<Duration> = .continuous, log: any Log
    ) {
        (self.store, self.health) = (store, health)
        lookups = BatchedLookups(store)
        buffer =
            writesBehind
            ? WriteBehindProfileStore(
                store, limit: Self.bufferLimit, clock: clock, log: log, onLoss: { health?.noteLoss($0) },
                onWrite: { health?.note(.write, $0) }) : nil
        cache = CachedProfileStore(
            buffer ?? store, users: Self.users, lifetime: Self.age, clock: clock,
            onLookup: { health?.note(.lookup, $0) })
    }

    package var isRemote: Bool { true }
    package var savesImmediately: Bool { buffer != nil }

    package var counts: CachedProfileStore.Counts { cache.counts }
    /// The number of assignments that wait for the store.
    package var bufferedCount: Int { buffer?.waitingCount ?? 0 }
    /// The failures of writes in the background.
    package var failures: ProfileFailures { buffer?.failures ?? ProfileFailures() }

    package func profile(of userID: String) throws -> UserProfile { try cache.profile(of: userID) }
    package func profileInMemory(of userID: String) -> UserProfile? { cache.profileInMemory(of: userID) }
    package func profiles(of userIDs: [String]) throws -> [String: UserProfile] { try cache.profiles(of: userIDs) }

    package func awaitProfile(of userID: String) async throws -> UserProfile {
        try await cache.awaitProfile(of: userID) { [store, lookups, buffer] userID in
            // Read before the look-up: what is stored in between is then in at least one of them.
            let waiting = buffer?.waiting(for: userID)
            let profile =
                if let store = store as? any AwaitableProfileStore {
                    try await store.awaitProfile(of: userID)
                } else {
                    try await lookups.profile(of: userID)
                }
            return waiting.map { UserProfile(profile.assignments.merging($0) { $1 }) } ?? profile
        }
    }

    package func save(_ assignments: [String: String], for userID: String) throws {
        try cache.save(assignments, for: userID)
    }

    /// Adds assignments, and returns when the store has them.
    package func awaitSave(_ assignments: [String: String], for userID: String) async throws {
        defer { cache.dropping(userID) {} }
        do {
            if let buffer {
                try await buffer.save(assignments, for: userID) { try await write($0, for: userID) }
            } else {
                try await write(assignments, for: userID)
            }
        } catch {
            health?.note(.write, error)
            throw error
        }
        health?.note(.write, nil)
    }

    private func write(_ assignments: [String: String], for userID: String) async throws {
        if let store = store as? any AwaitableProfileStore {
            try await store.awaitSave(assignments, for: userID)
        } else {
            try await BlockingCall.result { [store] in try store.save(assignments, for: userID) }
        }
    }

    package func forget(_ userID: String) throws { try cache.forget(userID) }
    package func flush(within limit: Duration) async { await cache.flush(within: limit) }
}
