/// A store for values by key. Implementations are called from any thread.
public protocol OPTDataStore {
    /// Returns the value for a key, or nil if there is none.
    func getItem(forKey: String) -> Any?

    /// Stores a value, replacing the key's previous one.
    func saveItem(forKey: String, value: Any)

    /// Removes the value for a key.
    func removeItem(forKey: String)
}

/// The storage type for values.
public enum DataStoreType: Sendable {
    /// In files.
    case file
    /// In memory, for the lifetime of the process.
    case memory
    /// In user defaults.
    case userDefaults
}
