import TurnoutClient

/// The profiles of a store, as a command needs them.
struct OpenProfiles {
    let store: any ProfileStore
    /// Forgets a user, and says whether there was anything to forget.
    let forget: (String) throws -> Bool
    /// How many users the store knows; nil: it cannot tell.
    let count: (() throws -> Int)?
}
