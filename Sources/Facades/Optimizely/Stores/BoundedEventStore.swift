import TurnoutClient

/// A store that takes fewer events than the one below it, which many queues share.
struct BoundedEventStore: EventStore {
    let store: any EventStore
    let limit: Int

    func append(_ event: OutgoingEvent) throws {
        guard store.count < limit else { throw EventStoreError.full }
        try store.append(event)
    }

    func oldest(_ count: Int) throws -> [StoredEvent] { try store.oldest(count) }
    func remove(_ ids: [Int64]) throws { try store.remove(ids) }
    func reject(_ ids: [Int64]) throws { try store.reject(ids) }
    func beginDelivery() -> Bool { store.beginDelivery() }
    func endDelivery() { store.endDelivery() }
    func synchronize() throws { try store.synchronize() }
    var count: Int { store.count }
    var losses: EventLosses { store.losses }
}
