package import TurnoutClient

/// A queue of events as one process sees it. Part of ``JournalState``.
///
/// A waiting event has a temporary id. A delivery that has read it under that id may remove it under that id even
/// after it moved to the file.
package struct JournalQueue: Sendable {
    package struct Tally: Sendable {
        var count = 0
        var bytes = 0
        package init(count: Int = 0, bytes: Int = 0) { (self.count, self.bytes) = (count, bytes) }
    }

    let name: String
    /// The most events in the queue.
    var limit: Int
    /// The events in the file, as far as this process knows.
    package var stored = Tally()
    /// Whether an event did not fit, so `stored` has to be read again: another process may have removed events.
    var isOutdated = false
    package var losses = EventLosses()
    private var waiting = EventBuffer()
    private var inFlight = EventBuffer()
    /// Ids in the file that have to be removed, and those of them that are set aside.
    private(set) var removals: Set<Int64> = []
    private var rejections: Set<Int64> = []
    /// The largest temporary id that a delivery has read.
    private var lastExposedID: Int64 = 0
    /// The ids in the file, by the temporary ids that deliveries may still use.
    private var moved: [Int64: Int64] = [:]

    init(name: String, limit: Int) { (self.name, self.limit) = (name, limit) }

    package var count: Int { max(0, stored.count + unwrittenCount - removals.count) }
    var unwrittenCount: Int { waiting.count + inFlight.count }
    var needsCommit: Bool { waiting.count > 0 || !removals.isEmpty }
    /// An estimate of the memory that the events take.
    var memory: Int { Self.memory(ofBytes: waiting.bytes + inFlight.bytes, count: unwrittenCount) }
    static func memory(ofBytes bytes: Int, count: Int = 1) -> Int { bytes + 200 * count }

    /// Whether there is no room for an event of a size among all events of the queue.
    func isFull(besides bytes: Int, _ options: SQLiteOptions) -> Bool {
        stored.count + unwrittenCount >= limit + removals.count
            || stored.bytes + waiting.bytes + inFlight.bytes + bytes > options.maximumBytes
    }

    /// Whether more events wait than the file may hold.
    func isOverfull(with more: Tally = Tally(), _ options: SQLiteOptions) -> Bool {
        waiting.count + more.count > limit || waiting.bytes + more.bytes > options.maximumBytes
    }

    mutating func add(_ event: OutgoingEvent, id: Int64) { waiting.append(event, id: id) }

    /// Drops the oldest waiting event. Returns false if there is none.
    mutating func dropOldest() -> Bool {
        guard waiting.count > 0 else { return false }
        waiting.removeFirst()
        losses.add(1, .noRoom)
        return true
    }

    // MARK: Committing

    /// The next transaction's changes. None may be in flight.
    mutating func take(_ number: Int, onlyRemovals: Bool) -> CommitBatch.Queue? {
        guard onlyRemovals ? !removals.isEmpty : needsCommit else { return nil }
        if !onlyRemovals { swap(&waiting, &inFlight) }
        return CommitBatch.Queue(
            number: number, name: name, limit: limit, removals: removals.subtracting(rejections),
            rejections: rejections, additions: inFlight.events)
    }

    /// The changes are in the file.
    mutating func committed(_ batch: CommitBatch.Queue, _ result: CommitResult.Queue) {
        stored = result.stored
        losses.add(result.dropped, .noRoom)
        removals.subtract(batch.removals.union(batch.rejections))
        rejections.subtract(batch.rejections)
        for (entry, id) in zip(batch.additions, result.ids) where entry.id <= lastExposedID { moved[entry.id] = id }
        inFlight = EventBuffer()
    }

    /// The changes could not be written: they wait again, before the events that were added in the meantime. Drops
    /// the oldest ones if all of them exceed the limits.
    mutating func restore(_ options: SQLiteOptions) {
        guard inFlight.count > 0 else { return }
        inFlight.append(contentsOf: waiting)
        (waiting, inFlight) = (inFlight, EventBuffer())
        guard options.overflow == .dropOldest else { return }
        while isOverfull(options), dropOldest() {}
    }

    // MARK: Reading and removing

    /// The oldest waiting events after an id, for a delivery.
    package mutating func oldest(_ count: Int, after id: Int64 = .min) -> ArraySlice<StoredEvent> {
        let found = waiting.oldest(count, after: id)
        lastExposedID = max(lastExposedID, found.last?.id ?? 0)
        return found
    }

    /// Removes waiting events. The next transaction removes the others from the file, if there are any. None may be
    /// in flight.
    package mutating func remove(_ ids: [Int64], rejecting: Bool = false) -> Bool {
        let inFile = ids.compactMap { $0 < EventIDs.inMemory ? $0 : moved.removeValue(forKey: $0) }
        removals.formUnion(inFile)
        if rejecting { rejections.formUnion(inFile) }
        waiting.remove(ids.lazy.filter { $0 >= EventIDs.inMemory })
        return !inFile.isEmpty
    }
}

extension JournalQueue.Tally {
    init(_ totals: Totals) { self.init(count: Int(totals.count), bytes: Int(totals.bytes)) }
}
