import Foundation
import TurnoutClient

/// The copies of datafiles, each in a store of its own that is made when it is needed.
final class DatafileCache: Sendable {
    private let stores = Locked<[String: Handed<any OPTDataStore>]>([:])

    /// The copy of a key, or nil: there is none. Without a key nothing is kept: all such clients would share it.
    func record(_ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) -> DatafileRecord? {
        guard !sdkKey.isEmpty else { return nil }
        let bytes = store(sdkKey, makeStore).getItem(forKey: sdkKey) as? Data
        return bytes.flatMap { $0.isEmpty ? nil : DatafileRecord(bytes: $0) }
    }

    /// Replaces the copy of a key, together with its validators.
    func save(_ record: DatafileRecord, _ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) {
        guard !sdkKey.isEmpty else { return }
        store(sdkKey, makeStore).saveItem(forKey: sdkKey, value: record.bytes)
    }

    /// Forgets the copy of a key.
    func remove(_ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) {
        guard !sdkKey.isEmpty else { return }
        store(sdkKey, makeStore).removeItem(forKey: sdkKey)
    }

    /// The store of a key. Whoever makes one calls a method that may be overridden, which no lock is held for.
    private func store(_ sdkKey: String, _ makeStore: (String) -> any OPTDataStore) -> any OPTDataStore {
        if let known = stores.withLock({ $0[sdkKey] }) { return known.value }
        let new = Handed(makeStore(sdkKey))
        return stores.withLock { stores in
            if let known = stores[sdkKey] { return known }
            stores[sdkKey] = new
            return new
        }.value
    }
}
