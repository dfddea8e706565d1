import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine

extension ProfilesCommand {
    /// The users that are looked up with one call.
    private static let batchSize = 1_000

    /// Copies the assignments of users to another store, which keeps those that it has.
    func copy() throws -> String {
        let users = try User.all(in: copying.users).map(\.id)
        let warnings = MemoryLog(level: .warning)
        let old = try ProfileStoreKind.open(address, .read, option: Self.store, log: warnings).store
        let new = try ProfileStoreKind.open(copying.target, .create, option: Self.target, log: warnings).store
        var count = 0
        for userIDs in users.bySpelling {
            for start in stride(from: 0, to: userIDs.count, by: Self.batchSize) {
                let batch = Array(userIDs[start..<min(start + Self.batchSize, userIDs.count)])
                for (userID, profile) in try old.profiles(of: batch) where !profile.assignments.isEmpty {
                    // Just before the addition: programs may use the store meanwhile.
                    let known = try new.profile(of: userID).assignments
                    let missing = profile.assignments.filter { known[$0.key] == nil }
                    guard !missing.isEmpty else { continue }
                    try new.save(missing, for: userID)
                    count += 1
                }
                // A store that continues without one of its servers would seem not to know its users.
                if let warning = warnings.entries.first {
                    throw CommandError("the copy ended early: \(warning.message)")
                }
            }
        }
        try (new as? any EditableProfileStore)?.synchronize()
        return "Copied assignments of \(count.grouped) of \(users.count.grouped) users."
    }
}
