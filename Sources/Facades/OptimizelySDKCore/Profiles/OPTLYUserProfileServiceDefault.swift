public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because its mutable state is behind locks.
/// Stores assignments in a file, for the 100,000 most recently used users.
///
/// Shares the file of `DefaultUserProfileService` in the module `Optimizely` with all managers and clients of a
/// program, whichever interface they use. Assignments that the Objective-C library left in `UserDefaults` are migrated.
open class OPTLYUserProfileServiceDefault: NSObject, OPTLYUserProfileService, @unchecked Sendable {
    /// Receives log messages.
    public let logger: (any OPTLYLogger)?
    let profiles: DefaultUserProfileService
    private let settings: UncheckedSendable<UserDefaults>

    /// Creates a service. Returns nil if the builder is nil.
    public convenience init?(builder: OPTLYUserProfileServiceBuilder?) {
        self.init(builder: builder, takingOverFrom: .standard)
    }

    /// Creates a service configured by a block.
    public convenience init?(_ block: OPTLYUserProfileServiceBuilderBlock) { self.init(builder: .init(block: block)) }

    /// Creates a service that migrates assignments from the given user defaults.
    package init?(builder: OPTLYUserProfileServiceBuilder?, takingOverFrom settings: UserDefaults) {
        guard let builder else { return nil }
        logger = builder.logger
        profiles = DefaultUserProfileService()
        self.settings = UncheckedSendable(settings)
        super.init()
        takeOver()
    }

    /// Returns the profile of a user, or nil if there is none.
    open func lookup(_ userId: String) -> [AnyHashable: Any]? { profiles.lookup(userId: userId) }

    /// Replaces the profile of a user. Does nothing, with a warning, unless the profile has a user id and an assignment
    /// map.
    open func save(_ userProfile: [AnyHashable: Any]) {
        guard let profile = OPTLYUserProfile(dictionary: userProfile), !profile.user_id.isEmpty else {
            let message =
                "a user profile was not saved: it needs a user_id that is not empty and an experiment_bucket_map"
            logger?.log()(.warning, message)
            return
        }
        profiles.save(userProfile: [
            "user_id": profile.user_id, "experiment_bucket_map": profile.experiment_bucket_map,
        ])
    }

    /// Removes the profile of a user.
    open func removeUserExperimentRecords(forUserId userId: String) {
        attempt { try $0.forget(userId) }
        for key in Self.olderKeys {
            guard var older = settings.value.dictionary(forKey: key), older[userId] != nil else { continue }
            older[userId] = nil
            settings.value.set(older, forKey: key)
        }
        synchronizeSettings()
    }

    /// Removes all profiles.
    open func removeAllUserExperimentRecords() {
        profiles.reset()
        forgetOlder()
    }

    /// Removes assignments to experiments that are not listed, for users with 100 or more assignments.
    open func removeInvalidExperiments(forAllUsers validExperimentIds: [String]?) {
        attempt { try $0.keepAssignments(in: Set(validExperimentIds ?? []), ofUsersWithAtLeast: 100) }
    }

    private func attempt(_ change: (any EditableProfileStore) throws -> Void) {
        do { try change(profiles.store) } catch {
            logger?.log().failure(.error, "stored user profiles were not changed", error)
        }
    }

    // MARK: Migration

    /// The keys in user defaults, newest first.
    private static let olderKeys = ["user-profile-service", "user-profile"]

    /// Migrates assignments of earlier versions of the Objective-C library. Stored assignments are newer and take
    /// precedence.
    private func takeOver() {
        let older = Self.olderKeys.flatMap { settings.value.dictionary(forKey: $0) ?? [:] }
            .map { user, profile in
                let map = OPTLYUserProfile(dictionary: profile as? [String: Any])?.experiment_bucket_map
                return (user, map?.compactMapValues { $0["variation_id"] } ?? profile as? [String: String] ?? [:])
            }
        let store = profiles.store
        var failure: (any Error)?
        for (user, assignments) in older {
            do { try store.addMissing(assignments, for: user) } catch { failure = error }
        }
        if let failure {
            logger?.log().failure(
                .error, "assignments of the Objective-C library were not migrated; the next start tries again", failure)
        }
        // Without durable storage, or if writing failed, the assignments stay in user defaults. Stored assignments that
        // cannot be read may be newer.
        guard store.isDurable, older.allSatisfy({ store.hasAssignments(of: $0, inExperimentsOf: $1) }) else { return }
        forgetOlder()
    }

    private func forgetOlder() {
        for key in Self.olderKeys { settings.value.removeObject(forKey: key) }
        synchronizeSettings()
    }

    /// Writes the user defaults. On Apple's systems that happens by itself.
    private func synchronizeSettings() {
        #if !canImport(Darwin)
            settings.value.synchronize()
        #endif
    }
}

/// A block that configures an ``OPTLYUserProfileServiceBuilder``.
public typealias OPTLYUserProfileServiceBuilderBlock = (OPTLYUserProfileServiceBuilder?) -> Void

/// The settings of an ``OPTLYUserProfileServiceDefault``.
open class OPTLYUserProfileServiceBuilder: NSObject {
    /// Receives log messages. Default: an ``OPTLYLoggerDefault`` for all levels.
    public var logger: (any OPTLYLogger)? = OPTLYLoggerDefault.ofEverything

    /// Creates a builder and configures it with a block. Never nil.
    public init?(block: OPTLYUserProfileServiceBuilderBlock) {
        super.init()
        block(self)
    }
}
