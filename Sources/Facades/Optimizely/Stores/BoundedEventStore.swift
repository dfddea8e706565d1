package import TurnoutClient

/// A store that takes fewer events than the one below it, which many queues share.
package final class BoundedEventStore: EventStore {
    private let store: any EventStore
    private let limit: Int
    private let onLoss: (@Sendable ([OutgoingEvent]) -> Void)?
    /// Held from looking at the limit until the event is there, or several threads would exceed it together.
    private let turn = Locked(())

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
        var lost: [OutgoingEvent] = []
        // Not in turn: whoever is told may come back.
        defer { report(lost) }
        try turn.withLock { _ in
            lost = try makeRoom()
            try store.append(event)
        }
    }

    package func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
        var lost: [OutgoingEvent] = []
        var errors: [Int: any Error] = [:]
        defer { report(lost) }
        turn.withLock { _ in
            var start = 0
            while start < events.count {
                do { lost += try makeRoom() } catch {
                    for place in start..<events.count { errors[place] = error }
                    return
                }
                let end = min(events.count, start + max(1, limit - store.count))
                for (place, error) in store.append(contentsOf: Array(events[start..<end])) {
                    errors[start + place] = error
                }
                start = end
            }
        }
        return errors
    }

    /// Removes the oldest events if the store is full; the caller has its turn.
    private func makeRoom() throws -> [OutgoingEvent] {
        guard store.count >= limit else { return [] }
        guard onLoss != nil else { throw EventStoreError.full }
        let oldest = try store.oldest(max(1, limit / 10))
        try store.remove(oldest.map(\.id))
        return oldest.map(\.event)
    }

    private func report(_ lost: [OutgoingEvent]) {
        if !lost.isEmpty { onLoss?(lost) }
    }

    package func oldest(_ count: Int) throws -> [StoredEvent] { try store.oldest(count) }
    package func remove(_ ids: [Int64]) throws { try store.remove(ids) }
    package func reject(_ ids: [Int64]) throws { try store.reject(ids) }
    package func beginDelivery() -> Bool { store.beginDelivery() }
    package func endDelivery() { store.endDelivery() }
    package func synchronize() throws { try store.synchronize() }
    package var waitsForDurability: Bool { store.waitsForDurability }
    package var count: Int { store.count }
    package var losses: EventLosses { store.losses }
}
