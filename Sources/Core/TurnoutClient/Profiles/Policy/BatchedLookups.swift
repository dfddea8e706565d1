/// Look-ups that are made at the same time, as few calls of a store: while one is in progress, others gather for the
/// next.
final class BatchedLookups: Sendable {
    private struct Lookup: Sendable {
        let user: ByteKey
        let outcome = OneShot<Result<UserProfile, any Error>>()
    }

    private struct State {
        var waiting: [Lookup] = []
        var isRunning = false
    }

    /// The most users of one call.
    private static let batchSize = 1_000

    private let store: any ProfileStore
    private let state = Locked(State())

    /// Gathers look-ups in a store.
    init(_ store: any ProfileStore) { self.store = store }

    /// The stored assignments of a user.
    ///
    /// - Throws: The store's error.
    func profile(of userID: String) async throws -> UserProfile {
        let lookup = Lookup(user: ByteKey(userID))
        let starts = state.withLock { state in
            state.waiting.append(lookup)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { WorkThread.run { self.run() } }
        guard let outcome = await lookup.outcome.value() else { throw ProfileStoreError.unresponsive }
        return try outcome.get()
    }

    /// Looks users up until none wait.
    private func run() {
        while true {
            let batch = state.withLock { state in
                let batch = Array(state.waiting.prefix(Self.batchSize))
                state.waiting.removeFirst(batch.count)
                state.isRunning = !batch.isEmpty
                return batch
            }
            guard !batch.isEmpty else { return }
            let found = profiles(of: Set(batch.map(\.user)))
            for lookup in batch { lookup.outcome.end(found[lookup.user]) }
        }
    }

    private func profiles(of users: Set<ByteKey>) -> [ByteKey: Result<UserProfile, any Error>] {
        var found: [ByteKey: Result<UserProfile, any Error>] = [:]
        for userIDs in users.map(\.text).bySpelling {
            do {
                guard userIDs.count > 1 else {
                    found[ByteKey(userIDs[0])] = .success(try store.profile(of: userIDs[0]))
                    continue
                }
                let profiles = try store.profiles(of: userIDs)
                for userID in userIDs { found[ByteKey(userID)] = .success(profiles[userID] ?? UserProfile()) }
            } catch {
                // A failure for one user does not lose the others. After an outage, all calls would fail.
                let isOutage = (error as? ProfileServerError)?.concernsUser != true
                for userID in userIDs {
                    found[ByteKey(userID)] =
                        isOutage ? .failure(error) : Result { try store.profile(of: userID) }
                }
            }
        }
        return found
    }
}
