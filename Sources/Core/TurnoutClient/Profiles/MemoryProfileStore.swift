/// Remembers assignments as long as the process runs.
///
/// The users whose assignments were not asked for longest are forgotten first when there are too many. Users are spread
/// over several locks, so threads hardly ever wait for each other.
public final class MemoryProfileStore: ProfileStore {
    private let profiles: Sharded<LRUCache<ExactText, [String: String]>>

    /// Creates an empty store.
    ///
    /// - Parameter users: About how many users are remembered. Default: 100,000, some 30 MB with one experiment each.
    public init(users: Int = 100_000) {
        profiles = Sharded(capacity: users) { LRUCache(capacity: $0, lifetime: nil) }
    }

    /// What a user was assigned before.
    public func profile(of userID: String) -> UserProfile {
        let key = ExactText(userID)
        return profiles.withLock(of: key) { UserProfile($0.value(for: key, at: .zero) ?? [:]) }
    }

    /// What a user was assigned before: it is all in memory.
    public func profileInMemory(of userID: String) -> UserProfile? { profile(of: userID) }

    /// Adds assignments to those of a user.
    public func remember(_ assignments: [String: String], for userID: String) {
        let key = ExactText(userID)
        profiles.withLock(of: key) { profiles in
            let known = profiles.value(for: key, at: .zero) ?? [:]
            profiles.save(known.merging(assignments) { $1 }, for: key, at: .zero)
        }
    }

    /// Forgets a user.
    public func forget(_ userID: String) {
        let key = ExactText(userID)
        profiles.withLock(of: key) { $0.remove(key) }
    }

    /// The number of users that are remembered.
    public var count: Int { profiles.shards.reduce(0) { $0 + $1.state.withLock { $0.count } } }
}

extension ProfileStore where Self == MemoryProfileStore {
    /// In memory, for 100,000 users.
    public static var memory: MemoryProfileStore { MemoryProfileStore() }
    /// In memory, for about so many users.
    public static func memory(users: Int) -> MemoryProfileStore { MemoryProfileStore(users: users) }
}
