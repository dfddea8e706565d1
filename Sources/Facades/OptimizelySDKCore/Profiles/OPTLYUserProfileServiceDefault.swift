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
        super.init()
        takeOver(from: settings)
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
    open func removeUserExperimentRecords(forUserId userId: String) { profiles.remove(userId) }

    /// Forgets all users.
    open func removeAllUserExperimentRecords() { profiles.reset() }

    /// Forgets assignments in experiments that are not listed, of users who have 100 or more.
    open func removeInvalidExperiments(forAllUsers validExperimentIds: [String]?) {
        profiles.keepAssignments(in: Set(validExperimentIds ?? []), ofUsersWithAtLeast: 100)
    }

    /// Moves what earlier versions of the Objective-C library remembered, the oldest first, so that newer ones win.
    private func takeOver(from settings: UserDefaults) {
        for (user, assignments) in settings.dictionary(forKey: "user-profile") as? [String: [String: String]] ?? [:] {
            profiles.merge(assignments, for: user)
        }
        for (user, profile) in settings.dictionary(forKey: "user-profile-service") as? [String: [String: Any]] ?? [:] {
            let map = OPTLYUserProfile(dictionary: profile)?.experiment_bucket_map ?? [:]
            profiles.merge(map.compactMapValues { $0["variation_id"] }, for: user)
        }
        // As long as nothing else outlasts the process, they stay there.
        guard profiles.isDurable else { return }
        for key in ["user-profile", "user-profile-service"] { settings.removeObject(forKey: key) }
    }
}
