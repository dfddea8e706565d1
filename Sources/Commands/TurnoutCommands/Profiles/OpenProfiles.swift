import TurnoutClient

/// An open store and its operations for commands.
struct OpenProfiles {
    let store: any ProfileStore
    /// Forgets a user, and returns whether the user was known.
    let forget: (String) throws -> Bool
    /// The number of stored users; nil if the store cannot count them.
    let count: (() throws -> Int)?
}

extension OpenProfiles {
    /// Wraps a store. `forget` looks the user up before erasing.
    init(_ store: any ProfileStore, erase: @escaping (String) throws -> Void, count: (() throws -> Int)?) {
        self.store = store
        self.count = count
        forget = { userID in
            // An unreadable profile exists, and can be erased.
            let profile = try? store.profile(of: userID)
            try erase(userID)
            return profile.map { !$0.assignments.isEmpty } ?? true
        }
    }
}
