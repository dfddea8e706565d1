import Foundation
import TurnoutClient

/// Stores one value in memory, for the lifetime of the process. Keys are ignored.
///
/// The initial value is read from another store. Values that are stored later stay in memory.
public class DataStoreMemory<T>: OPTDataStore where T: Codable {
    /// The backing store.
    public enum BackingStore: Sendable {
        /// User defaults.
        case userDefaults
        /// A file.
        case file
    }

    // @unchecked Sendable because values are stored and returned unchanged, as in the interface's other stores.
    private struct Item: @unchecked Sendable {
        var value: T?
    }

    private let name: String
    private let backing: any OPTDataStore
    private let item = Locked(Item())

    /// Creates a store with the backing store's value.
    package convenience init(storeName: String, backupStore: BackingStore = .file) {
        self.init(
            storeName: storeName,
            backing: backupStore == .file ? DataStoreFile<T>(storeName: storeName) : DataStoreUserDefaults())
    }

    /// Creates a store with another store's value.
    package init(storeName: String, backing: any OPTDataStore) {
        name = storeName
        self.backing = backing
        load(forKey: storeName)
    }

    /// Returns the value, or nil if there is none. The key is ignored.
    public func getItem(forKey: String) -> Any? { item.withLock { $0 }.value }

    /// Reads the value from the backing store, if that has one.
    public func load(forKey: String) {
        guard let stored = backing.getItem(forKey: forKey) else { return }
        if let value = stored as? T {
            keep(value)
        } else if let data = stored as? Data, let value = StoredFile<T>.decode(data) {
            // User defaults contain the same bytes as a file.
            keep(value)
        }
    }

    /// Stores a value. The key is ignored. A value that is not a `T` is ignored.
    public func saveItem(forKey: String, value: Any) {
        if let value = value as? T { keep(value) }
    }

    /// Removes the value, here and in the backing store.
    public func removeItem(forKey: String) {
        keep(nil)
        backing.removeItem(forKey: name)
    }

    private func keep(_ value: T?) {
        let next = Item(value: value)
        // The earlier value is released outside the lock, because that may run any code.
        let earlier = item.withLock { item in
            let earlier = item
            item = next
            return earlier
        }
        withExtendedLifetime(earlier) {}
    }
}
