import TurnoutClient
import TurnoutContracts
import TurnoutEngine

/// Checks a store that may be in use, with users of its own, and removes them.
struct StoreCheck {
    /// The users that have assignments.
    private final class UserList: Sendable {
        let users = Locked<Set<ByteKey>>([])
    }

    /// Puts a prefix before the ids of users, and records the users that have assignments.
    private final class PrefixedStore: ProfileStore {
        private let store: any ProfileStore
        private let prefix: String
        private let list: UserList

        init(_ store: any ProfileStore, prefix: String, _ list: UserList) {
            self.store = store
            self.prefix = prefix
            self.list = list
        }

        var isRemote: Bool { store.isRemote }
        var savesImmediately: Bool { store.savesImmediately }

        func profile(of userID: String) throws -> UserProfile { try store.profile(of: prefix + userID) }

        func profileInMemory(of userID: String) -> UserProfile? { store.profileInMemory(of: prefix + userID) }

        func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
            let profiles = try store.profiles(of: userIDs.map { prefix + $0 })
            return profiles.reduce(into: [:]) { $0[String($1.key.dropFirst(prefix.count))] = $1.value }
        }

        func save(_ assignments: [String: String], for userID: String) throws {
            if !assignments.isEmpty { list.users.withLock { _ = $0.insert(ByteKey(prefix + userID)) } }
            try store.save(assignments, for: prefix + userID)
        }

        func forget(_ userID: String) throws { try store.forget(prefix + userID) }

        func flush(within limit: Duration) async { await store.flush(within: limit) }
    }

    /// The result of a check.
    struct Result {
        var count = 0
        /// The guarantees that the store does not keep, each once.
        var broken: [String] = []
        /// Why the check did not end.
        var failure: String?
        /// The number of users that could not be removed.
        var leftUsers = 0
    }

    let profiles: OpenProfiles

    /// The prefix of the ids of this check's users.
    let prefix = "turnout-check-\(UInt64.random(in: 0 ... .max))"

    /// Checks everything, alone and under every policy, and removes the users.
    func run() async -> Result {
        let list = UserList()
        let result = Locked(Result())
        let check = ProfileStoreCheck { isFulfilled, guarantee in
            result.withLock { result in
                result.count += 1
                if !isFulfilled, !result.broken.contains(guarantee) { result.broken.append(guarantee) }
            }
        }
        var round = 0
        do {
            try await check.run(underEveryPolicy: true) {
                round += 1
                return PrefixedStore(profiles.store, prefix: "\(prefix)-\(round)/", list)
            }
        } catch { result.withLock { $0.failure = error.logText } }
        var left = 0
        for user in list.users.withLock({ $0 }) {
            do { _ = try profiles.forget(user.text) } catch { left += 1 }
        }
        return result.withLock { result in
            result.leftUsers = left
            return result
        }
    }
}

extension StoreCheck.Result {
    /// Whether the store keeps its contract, and is as it was before.
    var isGood: Bool { broken.isEmpty && failure == nil && leftUsers == 0 }

    func leftUsersNote(prefix: String) -> String? {
        guard leftUsers > 0 else { return nil }
        return "\(leftUsers) users of the check could not be removed; their ids begin with \(prefix)."
    }

    func text(prefix: String) -> String {
        var lines = broken.map { "Not kept: \($0)." }
        if let note = leftUsersNote(prefix: prefix) { lines.append(note) }
        if lines.isEmpty {
            lines.append("The store keeps its contract, alone and under every policy (\(count) checks).")
        }
        return lines.joined(separator: "\n")
    }
}
