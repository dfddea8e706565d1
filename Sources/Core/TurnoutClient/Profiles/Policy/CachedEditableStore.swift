/// An editable store behind a cache, for services that decisions read.
package final class CachedEditableStore: EditableProfileStore {
    private let store: any EditableProfileStore
    package let cache: CachedProfileStore

    /// Puts a cache in front of a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - users: The approximate number of cached users.
    ///   - lifetime: How long an entry is valid: after that time, assignments of other processes are visible.
    ///   - onLookup: Called after each look-up in the store, with its error. Default: nil.
    package init(
        _ store: any EditableProfileStore, users: Int, lifetime: Duration,
        onLookup: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.store = store
        cache = CachedProfileStore(store, users: users, lifetime: lifetime, onLookup: onLookup)
    }

    package var isRemote: Bool { cache.isRemote }
    package var savesImmediately: Bool { cache.savesImmediately }
    package var isDurable: Bool { store.isDurable }

    package func profile(of userID: String) throws -> UserProfile { try cache.profile(of: userID) }
    package func latestProfile(of userID: String) throws -> UserProfile { try store.latestProfile(of: userID) }
    package func profileInMemory(of userID: String) -> UserProfile? { cache.profileInMemory(of: userID) }
    package func profiles(of userIDs: [String]) throws -> [String: UserProfile] { try cache.profiles(of: userIDs) }

    package func save(_ assignments: [String: String], for userID: String) throws {
        try cache.save(assignments, for: userID)
    }

    package func replace(with assignments: [String: String], for userID: String) throws {
        try cache.dropping(userID) { try store.replace(with: assignments, for: userID) }
    }

    package func forget(_ userID: String) throws { try cache.forget(userID) }
    package func removeAll() throws { try cache.dropping(nil) { try store.removeAll() } }

    package func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) throws {
        try cache.dropping(nil) { try store.keepAssignments(in: experiments, ofUsersWithAtLeast: count) }
    }

    package func synchronize() throws { try store.synchronize() }
    package func flush(within limit: Duration) async { await cache.flush(within: limit) }
}
