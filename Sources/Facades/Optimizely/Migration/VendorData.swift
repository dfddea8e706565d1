package import Foundation
import TurnoutClient

/// Data of the vendor's Swift client on a device: assignments in user defaults, and undelivered events in a file. Both
/// are migrated to this library's storage on first use.
package struct VendorData: Sendable {
    /// The user defaults that contain the assignments.
    let settings: UncheckedSendable<UserDefaults>
    /// The directory of its files.
    let directory: URL

    /// Creates a description of the data's locations.
    package init(settings: UserDefaults, directory: URL) {
        self.settings = UncheckedSendable(settings)
        self.directory = directory
    }

    // MARK: Assignments

    private static let profilesKey = "user-profile-service"

    /// Moves the assignments of the vendor's `DefaultUserProfileService`. Already stored assignments are newer and take
    /// precedence. Without durable storage, or if writing fails, the originals are kept.
    func moveProfiles(to store: any EditableProfileStore) {
        Self.migration.withLock { _ in
            guard let users = settings.value.dictionary(forKey: Self.profilesKey) else { return }
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
        guard settings.value.object(forKey: Self.profilesKey) != nil else { return }
        settings.value.removeObject(forKey: Self.profilesKey)
        // Elsewhere the system stores by itself; on Linux only this does.
        #if !canImport(Darwin)
            settings.value.synchronize()
        #endif
    }

    /// The variation ids by experiment id. Malformed entries are left out, as in the vendor's client.
    private static func assignments(of profile: Any) -> [String: String] {
        let map = (profile as? [String: Any])?["experiment_bucket_map"] as? [String: Any] ?? [:]
        return map.compactMapValues { ($0 as? [String: Any])?["variation_id"] as? String }
    }

    // MARK: Events

    /// Moves the queued events of the vendor's client, oldest first.
    ///
    /// The file is removed once its events are stored; events that the store refuses stay in it. An unreadable file is
    /// left unchanged. If the process ends in between, events are moved again; their ids are the same, so receivers
    /// drop the duplicates.
    ///
    /// - Parameters:
    ///   - name: The name of the queue, and of its file.
    ///   - store: The queue of this library. It must be durable.
    func moveEvents(named name: String, to store: any EventStore) {
        // The vendor's client uses the name unescaped, but the file must be inside the directory.
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { return }
        let file = directory.appending(path: name, directoryHint: .notDirectory)
        guard let data = try? Data(contentsOf: file) else { return }
        guard let items = try? JSONDecoder().decode([Data].self, from: data) else {
            return OPTLoggerFactory.log(
                .warning,
                "events of the vendor's client were not migrated: the file \"\(name)\" cannot be read; it stays "
                    + "where it is")
        }
        var rest: [Data] = []
        var readable: [(item: Data, event: OutgoingEvent)] = []
        for item in items {
            if let event = try? JSONDecoder().decode(EventForDispatch.self, from: item) {
                readable += event.queued.map { (item, $0) }
            } else {
                rest.append(item)
            }
        }
        let refused = store.append(contentsOf: readable.map(\.event))
        // A body with several events is kept whole if one of them is refused; receivers drop the duplicates.
        for item in refused.keys.sorted().map({ readable[$0].item }) where rest.last != item { rest.append(item) }
        do {
            try store.synchronize()
            try replace(file, with: rest)
        } catch {
            return OPTLoggerFactory.log(
                .warning,
                "events of the vendor's client were migrated, but stay in the file \"\(name)\" too, which cannot be "
                    + "changed: \(error.logText)")
        }
        OPTLoggerFactory.log(
            rest.isEmpty ? .info : .warning,
            "\((readable.count - refused.count).counted("event")) of the vendor's client migrated"
                + (rest.isEmpty ? "" : "; \(rest.count) that cannot be read or have no room stay in \"\(name)\""))
    }

    private func replace(_ file: URL, with items: [Data]) throws {
        guard !items.isEmpty else { return try FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(items).write(to: file, options: .atomic)
    }
}
