public import Foundation
import Optimizely

// @unchecked Sendable because nothing in it changes, and what it keeps is behind locks.
/// Remembers assignments in a file, of the 100,000 users that were asked for last.
///
/// It is the file of `DefaultUserProfileService` in the module `Optimizely`: all managers and clients of a program
/// share it, whichever interface they use. Assignments that the Objective-C library left in `UserDefaults` are taken
/// over.
open class OPTLYUserProfileServiceDefault: NSObject, OPTLYUserProfileService, @unchecked Sendable {
    /// Receives messages.
    public let logger: (any OPTLYLogger)?
    let profiles: DefaultUserProfileService
    private let settings: Handed<UserDefaults>

    /// Creates a service; nil if there is no builder.
    public convenience init?(builder: OPTLYUserProfileServiceBuilder?) {
        self.init(builder: builder, takingOverFrom: .standard)
    }

    /// Creates a service, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYUserProfileServiceBuilderBlock) { self.init(builder: .init(block: block)) }

    /// Creates a service that takes over what is in other settings than the program's.
    package init?(builder: OPTLYUserProfileServiceBuilder?, takingOverFrom settings: UserDefaults) {
        guard let builder else { return nil }
        logger = builder.logger
        profiles = DefaultUserProfileService()
        self.settings = Handed(settings)
        super.init()
        takeOver()
    }

    /// What is remembered of a user, or nil: nothing.
    open func lookup(_ userId: String) -> [AnyHashable: Any]? { profiles.lookup(userId: userId) }

    /// Replaces what is known of a user. Does nothing, with a warning, unless the profile names its user and has a map.
    open func save(_ userProfile: [AnyHashable: Any]) {
        guard let profile = OPTLYUserProfile(dictionary: userProfile), !profile.user_id.isEmpty else {
            logger?.logMessage("a user profile without a user or a map is not saved", with: .warning)
            return
        }
        profiles.save(userProfile: [
            "user_id": profile.user_id, "experiment_bucket_map": profile.experiment_bucket_map,
        ])
    }

    /// Forgets a user.
    open func removeUserExperimentRecords(forUserId userId: String) {
        profiles.remove(userId)
        for key in Self.olderKeys {
            guard var older = settings.value.dictionary(forKey: key), older[userId] != nil else { continue }
            older[userId] = nil
            settings.value.set(older, forKey: key)
        }
    }

    /// Forgets all users.
    open func removeAllUserExperimentRecords() {
        profiles.reset()
        forgetOlder()
    }

    /// Forgets assignments in experiments that are not listed, of users who have 100 or more.
    open func removeInvalidExperiments(forAllUsers validExperimentIds: [String]?) {
        profiles.keepAssignments(in: Set(validExperimentIds ?? []), ofUsersWithAtLeast: 100)
    }

    // MARK: What earlier versions left

    /// The newest first.
    private static let olderKeys = ["user-profile-service", "user-profile"]

    /// Moves what earlier versions of the Objective-C library remembered. What is known already is newer.
    private func takeOver() {
        let older = Self.olderKeys.flatMap { settings.value.dictionary(forKey: $0) ?? [:] }
            .map { user, profile in
                let map = OPTLYUserProfile(dictionary: profile as? [String: Any])?.experiment_bucket_map
                return (user, map?.compactMapValues { $0["variation_id"] } ?? profile as? [String: String] ?? [:])
            }
        for (user, assignments) in older {
            let known = profiles.assignments(of: user)
            profiles.merge(assignments.filter { known[$0.key] == nil }, for: user)
        }
        // As long as nothing else outlasts the process, or could not be written, they stay there.
        let isKept = older.allSatisfy { user, assignments in
            let known = profiles.assignments(of: user)
            return assignments.keys.allSatisfy { known[$0] != nil }
        }
        if profiles.isDurable, isKept { forgetOlder() }
    }

    private func forgetOlder() { for key in Self.olderKeys { settings.value.removeObject(forKey: key) } }
}
