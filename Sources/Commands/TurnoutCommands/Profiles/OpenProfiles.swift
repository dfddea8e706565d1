import TurnoutClient

/// The profiles of a store, as a command needs them.
struct OpenProfiles {
    let store: any ProfileStore
    /// Forgets a user, and says whether there was anything to forget.
    let forget: (String) throws -> Bool
    /// How many users the store knows; nil: it cannot tell.
    let count: (() throws -> Int)?
}

extension OpenProfiles {
    /// The profiles of a store; whether there is anything to forget is looked up before.
    init(_ store: any ProfileStore, erase: @escaping (String) throws -> Void, count: (() throws -> Int)?) {
        self.store = store
        self.count = count
        forget = { userID in
            // What cannot be read is there, and can be forgotten all the same.
            let profile = try? store.profile(of: userID)
            try erase(userID)
            return profile.map { !$0.assignments.isEmpty } ?? true
        }
    }
}
