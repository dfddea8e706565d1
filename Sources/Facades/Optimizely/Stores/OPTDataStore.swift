/// A store for values by key.
///
/// This library calls a store of yours if an override of ``DefaultDatafileHandler/createDataStore(sdkKey:)`` returns
/// it. The handler creates one store for each SDK key, and keeps the datafile in it: the value is `Data`, the key is
/// the SDK key. The value also contains the validators of the server's response, so return it unchanged, or nil.
///
/// A handler calls a store from any thread, several times at once, when a client starts and after each download. Calls
/// may block for as long as reading a file takes. They cannot fail: a store that cannot read returns nil, and the
/// datafile is downloaded again; one that cannot write keeps the previous value.
///
/// ``DataStoreFile``, ``DataStoreMemory`` and ``DataStoreUserDefaults`` are stores.
public protocol OPTDataStore {
    /// Returns the value for a key, or nil if there is none.
    func getItem(forKey: String) -> Any?

    /// Stores a value, replacing the key's previous one.
    func saveItem(forKey: String, value: Any)

    /// Removes the value for a key; does nothing if there is none.
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
