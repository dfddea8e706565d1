import Optimizely

/// A storage whose queues a test can read.
final class RollingStoreProbe: ServiceStorage {
    private let base = MemoryStorage()
    private let stores = Locked<[String: any EventStore]>([:])

    func events(named name: String, limit: Int) -> any EventStore {
        stores.withLock { stores in
            let store = stores[name] ?? base.events(named: name, limit: limit)
            stores[name] = store
            return store
        }
    }

    func profiles() -> any EditableProfileStore { base.profiles() }
    func vuid() -> any VuidStore { base.vuid() }

    /// The payloads in a queue.
    func kept(_ name: String) throws -> [String] {
        let waiting = try stores.withLock { $0[name] }?.oldest(100_000) ?? []
        return waiting.map { String(decoding: $0.event.payload, as: UTF8.self) }
    }
}
