package import TurnoutClient

/// Stores assignments in a file, for the 100,000 most recently used users.
///
/// All services of a program, in all of its processes under one user account, share the stored assignments. Decisions
/// add assignments one by one, so concurrent ones lose nothing; they see those of other processes within a second.
/// Without the package's trait `SQLite`, or if the file cannot be used, assignments are kept in memory. Assignments
/// that the vendor's service left in `UserDefaults` are migrated.
///
/// May be used from any number of threads at once. Override ``lookup(userId:)`` and ``save(userProfile:)`` to store
/// profiles elsewhere.
open class DefaultUserProfileService: OPTUserProfileService {
    /// Profiles by user id.
    public typealias UserProfileData = [String: UPProfile]

    /// The store of the assignments. Clients use it directly unless a subclass overrides the service's methods.
    package let store: any EditableProfileStore
    private let vendor: VendorData?
    private let failedLookups = FailedLookups()

    /// Creates a service.
    public required init() {
        let environment = HostEnvironment.current
        store = environment.storage.profiles()
        vendor = environment.vendor
        vendor?.moveProfiles(to: store)
    }

    /// Creates a service with a custom store.
    package init(_ store: any EditableProfileStore) {
        self.store = store
        vendor = nil
    }

    /// Returns the profile of a user, or nil, with an error in the log if it cannot be read.
    ///
    /// The profile contains only `user_id` and `experiment_bucket_map`; other members are not stored.
    open func lookup(userId: String) -> UPProfile? {
        do {
            // The caller may save what it found, in place of what is in the file.
            let assignments = try store.latestProfile(of: userId).assignments
            failedLookups.remove(userId)
            return assignments.isEmpty ? nil : ProfileDictionary.profile(nil, of: userId, adding: assignments)
        } catch {
            failedLookups.insert(userId)
            report(error)
            return nil
        }
    }

    /// Replaces the profile of a user; if the last lookup failed, adds the assignments instead. Does nothing unless the
    /// profile's `user_id` is a string.
    open func save(userProfile: UPProfile) {
        guard let user = ProfileDictionary.userID(of: userProfile) else { return }
        let assignments = ProfileDictionary.assignments(of: userProfile)
        do {
            if failedLookups.contains(user) {
                // The caller's profile lacks the stored assignments, which must not be lost.
                try store.save(assignments, for: user)
            } else {
                try store.replace(with: assignments, for: user)
            }
        } catch {
            report(error)
        }
    }

    /// Removes all profiles and stores new ones.
    ///
    /// - Parameter userProfiles: The new profiles by user id. Default: nil, none.
    open func reset(userProfiles: UserProfileData? = nil) {
        do {
            try store.removeAll()
            vendor?.removeProfiles()
            for (user, profile) in userProfiles ?? [:] {
                try store.replace(with: ProfileDictionary.assignments(of: profile), for: user)
            }
        } catch {
            report(error)
        }
    }

    private func report(_ error: any Error) {
        FactoryLog().failure(.error, "assignments cannot be read or written; nothing stored is changed", error)
    }
}

/// Users whose last lookup failed.
private final class FailedLookups: Sendable {
    private static let limit = 10_000
    private let users = Locked<(known: Set<ByteKey>, isFull: Bool)>(([], false))

    func insert(_ user: String) {
        users.withLock { users in
            if users.known.count < Self.limit { users.known.insert(ByteKey(user)) } else { users.isFull = true }
        }
    }

    func remove(_ user: String) { users.withLock { _ = $0.known.remove(ByteKey(user)) } }

    /// Whether the user may be one of them. Always true once there were too many to track.
    func contains(_ user: String) -> Bool {
        users.withLock { $0.isFull || !$0.known.isEmpty && $0.known.contains(ByteKey(user)) }
    }
}
