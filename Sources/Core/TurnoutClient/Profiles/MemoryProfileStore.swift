/// Stores assignments in memory, until the process ends.
///
/// At the limit, the least recently used profiles are evicted. Users are spread over 64 locks, to reduce contention.
public final class MemoryProfileStore: ProfileStore {
    private let profiles: Sharded<LRUCache<ByteKey, [String: String]>>

    /// Creates an empty store.
    ///
    /// - Parameter users: The approximate number of users to store. Default: 100,000, about 30 MB with one experiment
    ///   each.
    public init(users: Int = 100_000) {
        profiles = Sharded(capacity: users, bits: 6) { LRUCache(capacity: $0, lifetime: nil) }
    }

    /// Returns the assignments of a user.
    public func profile(of userID: String) -> UserProfile {
        let key = ByteKey(userID)
        return profiles.withLock(of: key.fingerprint) { UserProfile($0.value(for: key, at: .zero) ?? [:]) }
    }

    /// Returns the assignments of a user; never nil.
    public func profileInMemory(of userID: String) -> UserProfile? { profile(of: userID) }

    /// Adds assignments to those of a user.
    public func save(_ assignments: [String: String], for userID: String) {
        let key = ByteKey(userID)
        profiles.withLock(of: key.fingerprint) { profiles in
            let known = profiles.value(for: key, at: .zero) ?? [:]
            profiles.save(known.merging(assignments) { $1 }, for: key, at: .zero)
        }
    }

    /// Removes the profile of a user.
    public func forget(_ userID: String) {
        let key = ByteKey(userID)
        profiles.withLock(of: key.fingerprint) { $0.remove(key) }
    }

    /// The number of stored users.
    public var count: Int { profiles.shards.reduce(0) { $0 + $1.state.withLock { $0.count } } }
}

extension MemoryProfileStore: EditableProfileStore {
    package var isDurable: Bool { false }

    package func replace(with assignments: [String: String], for userID: String) {
        let key = ByteKey(userID)
        profiles.withLock(of: key.fingerprint) { profiles in
            if assignments.isEmpty { profiles.remove(key) } else { profiles.save(assignments, for: key, at: .zero) }
        }
    }

    package func removeAll() { for shard in profiles.shards { shard.state.withLock { $0.removeAll() } } }

    package func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) {
        for shard in profiles.shards {
            shard.state.withLock { profiles in
                profiles.changeAll { assignments in
                    guard assignments.count >= count else { return }
                    assignments = assignments.filter { experiments.contains($0.key) }
                }
            }
        }
    }

    package func synchronize() {}
}

extension ProfileStore where Self == MemoryProfileStore {
    /// A store in memory for 100,000 users.
    public static var memory: MemoryProfileStore { MemoryProfileStore() }
    /// A store in memory for about this many users.
    public static func memory(users: Int) -> MemoryProfileStore { MemoryProfileStore(users: users) }
}
