import Foundation
import TurnoutClient

/// Keeps one value in memory, for as long as the process lives. Keys do not matter.
///
/// The value is read from another store at the start, and written there when the application asks for it.
public class DataStoreMemory<T>: OPTDataStore where T: Codable {
    /// Where the value comes from and goes to.
    public enum BackingStore: Sendable {
        /// The settings of the user.
        case userDefaults
        /// A file.
        case file
    }

    // @unchecked Sendable because values are kept and handed out as they are, as other stores of the interface do.
    private struct Item: @unchecked Sendable {
        var value: T?
    }

    private let name: String
    private let backing: any OPTDataStore
    private let item = Locked(Item())

    /// Creates a store that starts with what the backing store holds.
    package convenience init(storeName: String, backupStore: BackingStore = .file) {
        self.init(
            storeName: storeName,
            backing: backupStore == .file ? DataStoreFile<T>(storeName: storeName) : DataStoreUserDefaults())
    }

    /// Creates a store that starts with what another store holds.
    package init(storeName: String, backing: any OPTDataStore) {
        name = storeName
        self.backing = backing
        load(forKey: storeName)
    }

    /// The value, or nil: there is none. The key does not matter.
    public func getItem(forKey: String) -> Any? { item.withLock { $0 }.value }

    /// Reads the value from the backing store, if that has one.
    public func load(forKey: String) {
        guard let stored = backing.getItem(forKey: forKey) else { return }
        if let value = stored as? T {
            keep(value)
        } else if let data = stored as? Data, let value = StoredFile<T>.decode(data) {
            // The settings of the user hold what a file would.
            keep(value)
        }
    }

    /// Keeps a value. The key does not matter. One that is no `T` changes nothing.
    public func saveItem(forKey: String, value: Any) {
        if let value = value as? T { keep(value) }
    }

    /// Forgets the value, here and in the backing store.
    public func removeItem(forKey: String) {
        keep(nil)
        backing.removeItem(forKey: name)
    }

    /// Writes the value to the backing store. For when the application goes to the background.
    package func backUp() {
        guard let value = item.withLock({ $0 }).value else { return }
        if backing is DataStoreFile<T> {
            backing.saveItem(forKey: name, value: value)
        } else if let data = StoredFile<T>.encode(value) {
            backing.saveItem(forKey: name, value: data)
        }
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
