package import TurnoutClient

/// A store that takes fewer events than the one below it, which many queues share.
package final class BoundedEventStore: EventStore {
    private let store: any EventStore
    private let limit: Int
    private let onLoss: (@Sendable ([OutgoingEvent]) -> Void)?
    /// Held while room is made: of several threads at the limit, one makes it for all.
    private let makingRoom = Locked(())

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - store: Where the events are.
    ///   - limit: How many it may hold.
    ///   - onLoss: Takes the oldest tenth, which makes room when the store is full. Default: nil, the newest event is
    ///     refused.
    package init(_ store: any EventStore, limit: Int, onLoss: (@Sendable ([OutgoingEvent]) -> Void)? = nil) {
        self.store = store
        self.limit = limit
        self.onLoss = onLoss
    }

    package func append(_ event: OutgoingEvent) throws {
        if store.count >= limit {
            guard let onLoss else { throw EventStoreError.full }
            let lost = try makingRoom.withLock { _ in try removeOldest() }
            if !lost.isEmpty { onLoss(lost) }
        }
        try store.append(event)
    }

    private func removeOldest() throws -> [OutgoingEvent] {
        guard store.count >= limit else { return [] }
        let oldest = try store.oldest(max(1, limit / 10))
        try store.remove(oldest.map(\.id))
        return oldest.map(\.event)
    }

    package func oldest(_ count: Int) throws -> [StoredEvent] { try store.oldest(count) }
    package func remove(_ ids: [Int64]) throws { try store.remove(ids) }
    package func reject(_ ids: [Int64]) throws { try store.reject(ids) }
    package func beginDelivery() -> Bool { store.beginDelivery() }
    package func endDelivery() { store.endDelivery() }
    package func synchronize() throws { try store.synchronize() }
    package var count: Int { store.count }
    package var losses: EventLosses { store.losses }
}
