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

    /// The id after which the next run resumes; nil to start at the beginning. Ids of events that are only in memory
    /// may change.
    var resumeID: Int64? {
        guard hasSkipped else { return nil }
        let place = entries.first.map { $0.stored.id - 1 } ?? end
        return place < StoredEvent.firstTemporaryID ? place : nil
    }

    mutating func passed(_ id: Int64, isSkipped: Bool) {
        end = max(end, id)
        if isSkipped { hasSkipped = true }
    }

    /// Records that events in the store were skipped.
    mutating func recordSkip() { hasSkipped = true }

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
