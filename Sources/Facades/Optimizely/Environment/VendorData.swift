package import Foundation
import TurnoutClient

/// Data of the vendor's Swift client on a device: assignments in user defaults, and undelivered events in a file. Both
/// are migrated to this library's storage on first use.
package struct VendorData: Sendable {
    /// The user defaults that contain the assignments; nil if the program has none.
    let settings: UncheckedSendable<UserDefaults>?
    /// The directory of its files.
    let directory: URL

    /// Creates a description of the data's locations.
    package init(settings: UserDefaults?, directory: URL) {
        self.settings = settings.map { UncheckedSendable($0) }
        self.directory = directory
    }

    private static let profilesKey = "user-profile-service"

    /// Moves the assignments of the vendor's `DefaultUserProfileService`. Already stored assignments are newer and take
    /// precedence. Without durable storage, or if writing fails, the originals are kept.
    func moveProfiles(to store: any EditableProfileStore) {
        Self.migration.withLock { _ in
            guard let users = settings?.value.dictionary(forKey: Self.profilesKey) else { return }
            let older = users.mapValues(Self.assignments)
            do {
                for (user, assignments) in older { try store.addMissing(assignments, for: user) }
                guard store.isDurable else { return }
                try store.synchronize()
            } catch {
                return FactoryLog().failure(
                    .error, "assignments of the vendor's client were not migrated; the next start tries again", error)
            }
            // A failing store may not report an error.
            guard older.allSatisfy({ store.hasAssignments(of: $0, inExperimentsOf: $1) }) else { return }
            removeProfiles()
            OPTLoggerFactory.log(
                .info, "assignments of \(users.count.counted("user")) were migrated from the vendor's client")
        }
    }

    /// Removes the vendor's assignments, which would otherwise be migrated again.
    func removeProfiles() {
        guard let settings = settings?.value, settings.object(forKey: Self.profilesKey) != nil else { return }
        settings.removeObject(forKey: Self.profilesKey)
        // Elsewhere the system stores by itself; on Linux only this does.
        #if !canImport(Darwin)
            settings.synchronize()
        #endif
    }

    /// The variation ids by experiment id. Malformed entries are left out, as in the vendor's client.
    private static func assignments(of profile: Any) -> [String: String] {
        let map = (profile as? [String: Any])?["experiment_bucket_map"] as? [String: Any] ?? [:]
        return map.compactMapValues { ($0 as? [String: Any])?["variation_id"] as? String }
    }
}

extension VendorData {
    /// Serializes migrations of the vendor's files: services that are created at the same time must not overwrite newer
    /// assignments.
    static let migration = Locked(())
}
