package import TurnoutClient

/// The durable storage of the default services.
///
/// Dispatchers get their queue, and profile services their store, when they are created; the manager of ODP events gets
/// its queue when it first needs one, and the device's id is loaded when a client first enables it. The calls come from
/// the threads that create and use clients, and may overlap. The first one may block while a file is opened. None
/// throws: a storage whose file cannot be used logs that, keeps everything in memory, and is not durable. Data of the
/// vendor's client then stays where it is.
package protocol ServiceStorage: Sendable {
    /// Whether stored data persists across launches.
    var isDurable: Bool { get }
    /// Returns a store for a queue of events. If it is durable, stores with the same name share the queue.
    ///
    /// - Parameters:
    ///   - name: The name of the queue.
    ///   - limit: The maximum number of queued events; replaces that of earlier stores of the queue.
    /// - Returns: The store.
    func events(named name: String, limit: Int) -> any EventStore
    /// The store for user profiles.
    func profiles() -> any EditableProfileStore
    /// The store for the device's id.
    func vuid() -> any VuidStore
}

extension ServiceStorage {
    package var isDurable: Bool { false }
}

package struct MemoryStorage: ServiceStorage {
    private let vuidStore = MemoryVuidStore()
    private let profileStore = MemoryProfileStore()

    package init() {}

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
    private let state = Locked<(storage: any ServiceStorage, profiles: CachedEditableStore)?>(nil)

    /// Creates a storage that is opened once, by `make`.
    package init(_ make: @escaping @Sendable () -> any ServiceStorage) { self.make = make }

    private var opened: (storage: any ServiceStorage, profiles: CachedEditableStore) {
        state.withLock { known in
            if let known { return known }
            let storage = make()
            let opened = (storage, CachedEditableStore(storage.profiles(), users: 10_000, lifetime: .seconds(1)))
            known = opened
            return opened
        }
    }

    private var storage: any ServiceStorage { opened.storage }

    package var isDurable: Bool { storage.isDurable }
    package func events(named name: String, limit: Int) -> any EventStore { storage.events(named: name, limit: limit) }
    package func profiles() -> any EditableProfileStore { opened.profiles }
    package func vuid() -> any VuidStore { storage.vuid() }
}
