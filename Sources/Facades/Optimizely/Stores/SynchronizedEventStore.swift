import Synchronization
import TurnoutClient

/// A store that, if asked to, has written an event to its file before it accepts the event.
final class SynchronizedEventStore: EventStore {
    private let store: any EventStore
    private let isOn = Atomic(false)

    /// Creates a store that does not wait for its file.
    init(_ store: any EventStore) { self.store = store }

    /// Whether appending waits until the events are in the file. Default: false.
    var isSynchronous: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    func append(_ event: OutgoingEvent) throws {
        try store.append(event)
        if isSynchronous, !write() { throw EventStoreError.notDurable }
    }

    func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
        var errors = store.append(contentsOf: events)
        guard isSynchronous, errors.count < events.count, !write() else { return errors }
        for place in events.indices where errors[place] == nil { errors[place] = EventStoreError.notDurable }
        return errors
    }

    /// Writes all events to the file. Those that concurrent calls have written already cost nothing.
    private func write() -> Bool { store.isDurable && (try? store.synchronize()) != nil }

    var waitsForDurability: Bool { isSynchronous || store.waitsForDurability }
    var isDurable: Bool { store.isDurable }
    func oldest(_ count: Int) throws -> [StoredEvent] { try store.oldest(count) }
    func oldest(_ count: Int, after id: Int64) throws -> [StoredEvent] { try store.oldest(count, after: id) }
    func remove(_ ids: [Int64]) throws { try store.remove(ids) }
    func reject(_ ids: [Int64]) throws { try store.reject(ids) }
    func beginDelivery() -> Bool { store.beginDelivery() }
    func endDelivery() { store.endDelivery() }
    func synchronize() throws { try store.synchronize() }
    var count: Int { store.count }
    var losses: EventLosses { store.losses }
}
