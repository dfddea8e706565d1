/// Events that share a request.
package struct DeliveryBatch: Sendable, Equatable {
    package let number: Int
    package let events: [StoredEvent]
    let address: String
    /// The lane of the request among the concurrent requests to the address.
    let lane: Int
    /// The users of the events.
    let users: Set<UInt64>

    var group: OutgoingEvent.Group { events[0].event.group }
    package var ids: [Int64] { events.map(\.id) }
}

/// The batches that were sent and have no result yet. Part of ``DeliveryState``.
package struct BatchesInFlight: Sendable {
    private var batches: [Int: DeliveryBatch] = [:]
    /// The users of their events.
    package private(set) var users: Set<UInt64> = []
    private var lastNumber = 0

    /// Creates a state without batches.
    package init() {}

    package var isEmpty: Bool { batches.isEmpty }
    /// The number for the next batch.
    package var nextNumber: Int { lastNumber + 1 }
    /// The ids of their events.
    package var ids: Set<Int64> { Set(batches.values.lazy.flatMap(\.ids)) }
    /// The largest of the ids; nil without batches.
    package var lastID: Int64? { batches.values.lazy.compactMap { $0.events.last?.id }.max() }

    /// Whether a batch of a group is in flight.
    package func contains(_ group: OutgoingEvent.Group) -> Bool { batches.values.contains { $0.group == group } }

    /// Adds a batch that is sent now.
    package mutating func add(_ batch: DeliveryBatch) {
        lastNumber = batch.number
        batches[batch.number] = batch
        users.formUnion(batch.users)
    }

    /// Removes and returns the batch with a number, which has a result; nil if there is none.
    package mutating func remove(_ number: Int) -> DeliveryBatch? {
        guard let batch = batches.removeValue(forKey: number) else { return nil }
        users.subtract(batch.users)
        return batch
    }
}
