import Foundation
import TurnoutClient

/// The cached datafiles, each in its own store, which is created on first use.
final class DatafileStores: Sendable {
    private let stores = Locked<[String: UncheckedSendable<any OPTDataStore>]>([:])

    /// The cached datafile for a key, or nil if there is none. Nothing is cached for an empty key, because all clients
    /// without a key would share it.
    func record(_ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) -> DatafileRecord? {
        guard !sdkKey.isEmpty else { return nil }
        let bytes = store(sdkKey, makeStore).getItem(forKey: sdkKey) as? Data
        return bytes.flatMap { $0.isEmpty ? nil : DatafileRecord(bytes: $0) }
    }

    /// Whether a datafile is cached for a key. Does not read a file's contents.
    func holds(_ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) -> Bool {
        guard !sdkKey.isEmpty else { return false }
        if let file = store(sdkKey, makeStore) as? DataStoreFile<Data> { return file.size > 0 }
        return record(sdkKey, makeStore) != nil
    }

    /// Replaces the cached datafile for a key, together with its validators.
    func save(_ record: DatafileRecord, _ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) {
        guard !sdkKey.isEmpty else { return }
        store(sdkKey, makeStore).saveItem(forKey: sdkKey, value: record.bytes)
    }

    /// Removes the cached datafile for a key.
    func remove(_ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) {
        guard !sdkKey.isEmpty else { return }
        store(sdkKey, makeStore).removeItem(forKey: sdkKey)
    }

    /// The store for a key. `makeStore` calls a method that may be overridden, so no lock is held during the call.
    private func store(_ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) -> any OPTDataStore {
        if let known = stores.withLock({ $0[sdkKey] }) { return known.value }
        let new = UncheckedSendable(makeStore(sdkKey))
        return stores.withLock { stores in
            if let known = stores[sdkKey] { return known }
            stores[sdkKey] = new
            return new
        }.value
    }
}
