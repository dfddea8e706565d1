/// Remembers assignments as long as the process runs.
///
/// The users whose assignments were not asked for longest are forgotten first when there are too many. Users are spread
/// over several locks, so threads hardly ever wait for each other.
public final class MemoryProfileStore: ProfileStore {
    private final class Part: Sendable {
        let profiles: Locked<LRUCache<String, [String: String]>>
        init(capacity: Int) { profiles = Locked(LRUCache(capacity: capacity, lifetime: nil)) }
    }

    private static let partCount = 16
    private let parts: [Part]

    /// Creates an empty store.
    ///
    /// - Parameter users: About how many users are remembered. Default: 100,000, some 30 MB with one experiment each.
    public init(users: Int = 100_000) {
        let capacity = (max(1, users) + Self.partCount - 1) / Self.partCount
        parts = (0..<Self.partCount).map { _ in Part(capacity: capacity) }
    }

    /// What a user was assigned before.
    public func profile(of userID: String) -> UserProfile {
        part(of: userID).profiles.withLock { UserProfile($0.value(for: userID, at: .zero) ?? [:]) }
    }

    /// Adds assignments to those of a user.
    public func remember(_ assignments: [String: String], for userID: String) {
        part(of: userID).profiles.withLock { profiles in
            let known = profiles.value(for: userID, at: .zero) ?? [:]
            profiles.save(known.merging(assignments) { $1 }, for: userID, at: .zero)
        }
    }

    /// Forgets a user.
    public func forget(_ userID: String) { part(of: userID).profiles.withLock { $0.remove(userID) } }

    /// The number of users that are remembered.
    public var count: Int { parts.reduce(0) { $0 + $1.profiles.withLock { $0.count } } }

    private func part(of userID: String) -> Part { parts[abs(userID.hashValue % Self.partCount)] }
}

extension ProfileStore where Self == MemoryProfileStore {
    /// In memory, for 100,000 users.
    public static var memory: MemoryProfileStore { MemoryProfileStore() }
    /// In memory, for about so many users.
    public static func memory(users: Int) -> MemoryProfileStore { MemoryProfileStore(users: users) }
}
