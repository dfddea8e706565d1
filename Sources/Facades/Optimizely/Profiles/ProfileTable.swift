import TurnoutClient

/// The profiles of some users; the one that was not asked for longest goes first.
final class ProfileTable: Sendable {
    private struct Entry: Sendable {
        var assignments: [String: String]
        /// The profile as it was saved, if the assignments are not all of it.
        var original: Handed<ProfileDictionary.Profile>?
    }

    private let entries: Locked<LRUCache<ExactText, Entry>>

    /// Creates an empty table.
    init(capacity: Int) { entries = Locked(LRUCache(capacity: capacity, lifetime: nil)) }

    func profile(of user: String) -> ProfileDictionary.Profile? {
        guard let entry = entries.withLock({ $0.value(for: ExactText(user), at: .zero) }) else { return nil }
        return entry.original?.value ?? ProfileDictionary.profile(nil, of: user, adding: entry.assignments)
    }

    func assignments(of user: String) -> [String: String] {
        entries.withLock { $0.value(for: ExactText(user), at: .zero)?.assignments } ?? [:]
    }

    func save(_ profile: ProfileDictionary.Profile, of user: String) {
        let isPlain = ProfileDictionary.isPlain(profile)
        let entry = Entry(
            assignments: ProfileDictionary.assignments(of: profile), original: isPlain ? nil : Handed(profile))
        entries.withLock { $0.save(entry, for: ExactText(user), at: .zero) }
    }

    func merge(_ assignments: [String: String], for user: String) {
        let key = ExactText(user)
        entries.withLock { entries in
            var entry = entries.value(for: key, at: .zero) ?? Entry(assignments: [:])
            entry.assignments.merge(assignments) { $1 }
            if let original = entry.original {
                entry.original = Handed(
                    ProfileDictionary.profile(original.value, of: user, adding: assignments))
            }
            entries.save(entry, for: key, at: .zero)
        }
    }

    func remove(_ user: String) { entries.withLock { $0.remove(ExactText(user)) } }

    func removeAll() { entries.withLock { $0.removeAll() } }

    func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) {
        entries.withLock { entries in
            entries.changeAll { entry in
                guard entry.assignments.count >= count else { return }
                let kept = entry.assignments.filter { experiments.contains($0.key) }
                let original = entry.original.map { ProfileDictionary.profile($0.value, keeping: experiments) }
                entry = Entry(assignments: kept, original: original.map { Handed($0) })
            }
        }
    }
}
