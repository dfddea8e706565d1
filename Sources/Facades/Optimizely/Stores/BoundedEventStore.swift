package import TurnoutClient

/// A store with its own limit, on top of a store that several queues share.
package final class BoundedEventStore: EventStore {
    private let store: any EventStore
    private let limit: Int
    private let onLoss: (@Sendable ([OutgoingEvent]) -> Void)?
    /// Held from the check of the limit until the event is stored, because concurrent writers could otherwise exceed
    /// it.
    private let turn = Locked(())
    private let isTrimming = Locked(false)

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - store: The store for the events.
    ///   - limit: The maximum number of events.
    ///   - onLoss: Receives the oldest tenth of the events, which is dropped when the store is full. If the store is
    ///     durable, they are dropped in the background, because callers must not wait for a disk; until then it
    ///     contains more than `limit` events. Default: nil, new events are refused instead.
    package init(_ store: any EventStore, limit: Int, onLoss: (@Sendable ([OutgoingEvent]) -> Void)? = nil) {
        self.store = store
        self.limit = limit
        self.onLoss = onLoss
    }

    package func append(_ event: OutgoingEvent) throws {
        var lost: [OutgoingEvent] = []
        // Outside the lock, because the callback may call the store.
        defer { report(lost) }
        try turn.withLock { _ in
            lost = try makeRoom()
            try store.append(event)
        }
    }

    // `appendDurably` has its default implementation, because the lock cannot be held while a task waits.
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

    /// Drops the oldest events if the store is full; the caller holds the lock. Returns those dropped at once.
    private func makeRoom() throws -> [OutgoingEvent] {
        guard store.count >= limit else { return [] }
        guard onLoss != nil else { throw EventStoreError.full }
        guard store.isDurable else { return try dropOldest() }
        let starts = isTrimming.withLock { isTrimming in
            defer { isTrimming = true }
            return !isTrimming
        }
        if starts { BlockingCall.start { self.trim() } }
        return []
    }

    /// Drops the oldest events until there are fewer than the limit. After a failure the next event tries again.
    private func trim() {
        defer { isTrimming.withLock { $0 = false } }
        while store.count >= limit, let lost = try? dropOldest(), !lost.isEmpty { report(lost) }
    }

    private func dropOldest() throws -> [OutgoingEvent] {
        let oldest = try store.oldest(max(1, limit / 10))
        try store.remove(oldest.map(\.id))
        return oldest.map(\.event)
    }

    private func report(_ lost: [OutgoingEvent]) {
        if !lost.isEmpty { onLoss?(lost) }
    }

    package func oldest(_ count: Int) throws -> [StoredEvent] { try store.oldest(count) }
    package func oldest(_ count: Int, after id: Int64) throws -> [StoredEvent] { try store.oldest(count, after: id) }
    package func remove(_ ids: [Int64]) throws { try store.remove(ids) }
    package func reject(_ ids: [Int64]) throws { try store.reject(ids) }
    package func beginDelivery() -> Bool { store.beginDelivery() }
    package func endDelivery() { store.endDelivery() }
    package func synchronize() throws { try store.synchronize() }
    package var waitsForDurability: Bool { store.waitsForDurability }
    package var isDurable: Bool { store.isDurable }
    package var count: Int { store.count }
    package var losses: EventLosses { store.losses }
}
