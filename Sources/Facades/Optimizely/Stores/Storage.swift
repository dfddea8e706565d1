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

    /// Creates empty storage.
    package init() {}

    /// An empty store.
    package func events(named name: String, limit: Int) -> any EventStore { .memory(limit: limit) }
    /// Nobody is known yet.
    package func profiles() -> any KeptProfiles { MemoryProfiles(users: 100_000) }
    /// No id is known yet.
    package func vuid() -> any VuidStore { vuidStore }
}
