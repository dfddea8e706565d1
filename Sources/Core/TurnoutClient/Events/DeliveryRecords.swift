/// Events that share a request.
package struct DeliveryBatch: Sendable, Equatable {
    /// Identifies the batch.
    package let number: Int
    /// The events, in order.
    package let events: [StoredEvent]
    /// The destination address.
    let address: String
    /// The lane of the request among the concurrent requests to the address.
    let lane: Int
    /// The users of the events.
    let users: Set<UInt64>

    var group: OutgoingEvent.Group { events[0].event.group }
    package var ids: [Int64] { events.map(\.id) }
}

/// The delivery state of an address.
struct AddressRecord: Sendable {
    /// Distinguishes the users of this address from those of others, whose events may be in flight at the same time.
    let salt: UInt64
    var backoff: Backoff
    /// Failed attempts since the last success.
    var failures = 0
    /// Consecutive failed attempts in this run.
    var attempts = 0
    /// Whether requests are accepted. Until then they are sent one at a time.
    var isTrusted = false
    /// The maximum size of a request in bytes since larger ones were refused; doubled after each run.
    var bytes: Int?
    /// Whether it was reported that the address does not accept events.
    var isReported = false
    /// The lanes of the requests in flight, by batch number.
    var lanes: [Int: Int] = [:]

    var isRelevant: Bool { failures > 0 || isTrusted || isReported || bytes != nil }
}

/// The delivery state of a group of events that share requests.
struct GroupRecord: Sendable {
    let address: String
    var backoff: Backoff
    /// The maximum number of events in a request while refused events are being located.
    var limit: Int?
    /// Whether the receiver accepted any of the group's events since that search began.
    var hasAcceptedSinceSplit = false
    /// The number of accepted requests of the group. The receiver may accept other groups and refuse all of this one.
    var acceptances = 0
    /// Events that were refused individually, with the number of acceptances before. They are given up when the
    /// receiver accepts another event of the group; until then, the receiver may be at fault.
    var suspects: [Int64: Int] = [:]
    /// When to retry suspects; nil for now.
    var suspectsRetry: Duration?
    /// Consecutive responses that produced suspects.
    var refusals = 0
    /// How often in a row the receiver refused everything.
    var faults = 0
    /// Events that were refused while the receiver refused everything. They are given up if they are refused again.
    var secondChances: Set<Int64> = []
    /// Whether it was reported that these events are not accepted.
    var isReported = false

    /// Whether the receiver currently seems to refuse everything.
    var isFaulty: Bool { faults > 0 }
    var isRelevant: Bool {
        limit != nil || !suspects.isEmpty || isFaulty || !secondChances.isEmpty || isReported
    }

    /// Further suspects are dropped, which only means that those events are retried.
    static let suspectLimit = 1_000
}

/// Events that were read and can be sent, in order.
struct DeliveryWindow: Sendable {
    struct Entry: Sendable {
        let stored: StoredEvent
        let address: String
        /// Identifies the user and the address.
        let user: UInt64
    }

    private(set) var entries: [Entry] = []
    private(set) var bytes = 0
    /// The id of the last event that was read.
    private(set) var end: Int64
    /// Whether events were skipped that cannot be sent now.
    private(set) var hasSkipped: Bool
    /// Whether no more events can be read at present.
    var isExhausted = false

    /// A window on the events after an id, or on all events if it is nil.
    init(after id: Int64? = nil) {
        end = id ?? .min
        hasSkipped = id != nil
    }

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    func contains(_ group: OutgoingEvent.Group) -> Bool { entries.contains { $0.stored.event.group == group } }

    /// The id after which the next run begins; nil for the start. Ids of events that are only in memory may change.
    var placeToGoOn: Int64? {
        guard hasSkipped else { return nil }
        let place = entries.first.map { $0.stored.id - 1 } ?? end
        return place < StoredEvent.firstTemporaryID ? place : nil
    }

    mutating func passed(_ id: Int64, isSkipped: Bool) {
        end = max(end, id)
        if isSkipped { hasSkipped = true }
    }

    /// Records that events in the store were skipped.
    mutating func noteSkipped() { hasSkipped = true }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.stored.event.visitor.count
    }

    /// Skips the events of some groups.
    mutating func skip(_ isLeftOut: (OutgoingEvent.Group) -> Bool) {
        let count = entries.count
        filter { !isLeftOut($0.stored.event.group) }
        if entries.count < count { hasSkipped = true }
    }

    /// Drops events that are no longer in the store.
    mutating func remove(_ ids: Set<Int64>) {
        if entries.contains(where: { ids.contains($0.stored.id) }) { filter { !ids.contains($0.stored.id) } }
    }

    /// Removes and returns the entries at ascending indices.
    mutating func take(_ places: [Int]) -> [Entry] {
        let taken = places.map { entries[$0] }
        var rest = places[...]
        var place = -1
        filter { _ in
            place += 1
            guard rest.first == place else { return true }
            rest.removeFirst()
            return false
        }
        return taken
    }

    private mutating func filter(_ isKept: (Entry) -> Bool) {
        entries.removeAll { !isKept($0) }
        bytes = entries.reduce(0) { $0 + $1.stored.event.visitor.count }
    }
}
