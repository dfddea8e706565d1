package import TurnoutClient

/// Where the services that a caller does not bring keep what should outlast the process.
package protocol Storage: Sendable {
    /// The store of a queue of events. The same store whenever the name is the same, if it outlasts the process.
    ///
    /// - Parameters:
    ///   - name: The name of the queue.
    ///   - limit: How many events may wait.
    /// - Returns: The store.
    func events(named name: String, limit: Int) -> any EventStore
    /// What is remembered of users.
    func profiles() -> any KeptProfiles
    /// The id of this device.
    func vuid() -> any VuidStore
}

/// Keeps everything as long as the process runs.
package struct MemoryStorage: Storage {
    private let vuidStore = MemoryVuidStore()
    private let kept = MemoryProfiles(users: 100_000)

    /// Creates empty storage.
    package init() {}

    /// An empty store.
    package func events(named name: String, limit: Int) -> any EventStore { .memory(limit: limit) }
    /// What all services of this storage remember; at first nobody is known.
    package func profiles() -> any KeptProfiles { kept }
    /// No id is known yet.
    package func vuid() -> any VuidStore { vuidStore }
}

/// A storage that is opened when something is kept for the first time: a program whose services are all its own opens
/// no file.
package final class LateStorage: Storage {
    private let make: @Sendable () -> any Storage
    private let made = Locked<(any Storage)?>(nil)

    /// Creates a storage that `make` opens, once.
    package init(_ make: @escaping @Sendable () -> any Storage) { self.make = make }

    private var storage: any Storage {
        made.withLock { made in
            let storage = made ?? make()
            made = storage
            return storage
        }
    }

    package func events(named name: String, limit: Int) -> any EventStore { storage.events(named: name, limit: limit) }
    package func profiles() -> any KeptProfiles { storage.profiles() }
    package func vuid() -> any VuidStore { storage.vuid() }
}
