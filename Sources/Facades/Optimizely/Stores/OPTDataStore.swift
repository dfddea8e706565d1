/// Keeps values by key.
public protocol OPTDataStore {
    /// The value of a key, or nil: there is none.
    func getItem(forKey: String) -> Any?

    /// Keeps a value in place of what the key had before.
    func saveItem(forKey: String, value: Any)

    /// Forgets the value of a key.
    func removeItem(forKey: String)
}

/// Where values are kept.
public enum DataStoreType: Sendable {
    /// In files.
    case file
    /// In memory, for as long as the process lives.
    case memory
    /// With the settings of the user.
    case userDefaults
}
