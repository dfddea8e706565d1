package import TurnoutClient

/// The durable storage of the default services.
package protocol ServiceStorage: Sendable {
    /// Whether stored data persists across launches.
    var isDurable: Bool { get }
    /// Returns the store for a queue of events; if it is durable, the same store for the same name.
    ///
    /// - Parameters:
    ///   - name: The name of the queue.
    ///   - limit: The maximum number of queued events.
    /// - Returns: The store.
    func events(named name: String, limit: Int) -> any EventStore
    /// The store for user profiles.
    func profiles() -> any EditableProfileStore
    /// The store for the device's id.
    func vuid() -> any VuidStore
}

extension ServiceStorage {
    /// Returns false.
    package var isDurable: Bool { false }
}

/// Stores everything in memory.
package struct MemoryStorage: ServiceStorage {
    private let vuidStore = MemoryVuidStore()
    private let profileStore = MemoryProfileStore()

    /// Creates empty storage.
    package init() {}

    /// An empty store.
    package func events(named name: String, limit: Int) -> any EventStore { .memory(limit: limit) }
    /// The store that all services of this storage share; initially empty.
    package func profiles() -> any EditableProfileStore { profileStore }
    /// The store for the device's id; initially empty.
    package func vuid() -> any VuidStore { vuidStore }
}

/// A storage that is opened on first use: a program that provides all services itself opens no file. Profiles are
/// cached for a second, because reading the file takes longer than deciding.
package final class LazyStorage: ServiceStorage {
    private let make: @Sendable () -> any ServiceStorage
    private let made = Locked<(storage: any ServiceStorage, profiles: CachedEditableStore)?>(nil)

    /// Creates a storage that is opened once, by `make`.
    package init(_ make: @escaping @Sendable () -> any ServiceStorage) { self.make = make }

    private var opened: (storage: any ServiceStorage, profiles: CachedEditableStore) {
        made.withLock { made in
            if let made { return made }
            let storage = make()
            let opened = (storage, CachedEditableStore(storage.profiles(), users: 10_000, lifetime: .seconds(1)))
            made = opened
            return opened
        }
    }

    private var storage: any ServiceStorage { opened.storage }

    package var isDurable: Bool { storage.isDurable }
    package func events(named name: String, limit: Int) -> any EventStore { storage.events(named: name, limit: limit) }
    package func profiles() -> any EditableProfileStore { opened.profiles }
    package func vuid() -> any VuidStore { storage.vuid() }
}
