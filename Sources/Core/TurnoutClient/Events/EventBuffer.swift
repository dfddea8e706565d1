/// Events in memory, oldest first, with ascending ids. Removing the first one takes constant time on average.
package struct EventBuffer: Sendable {
    /// Entries before `start` were removed.
    private var entries: [StoredEvent] = []
    private var start = 0
    /// The size of the events, without the data that they share.
    package private(set) var bytes = 0

    /// Creates an empty buffer.
    package init() {}

    package var count: Int { entries.count - start }
    package var events: ArraySlice<StoredEvent> { entries[start...] }

    package mutating func append(_ event: OutgoingEvent, id: Int64) {
        entries.append(StoredEvent(id: id, event: event))
        bytes += event.visitor.count
    }

    /// Adds the events of another buffer, whose ids are larger.
    package mutating func append(contentsOf later: EventBuffer) {
        entries += later.events
        bytes += later.bytes
    }

    /// Removes the oldest event, if there is one.
    package mutating func removeFirst() {
        guard count > 0 else { return }
        bytes -= entries[start].event.visitor.count
        start += 1
        // Compacting costs as much as the number of events removed since the last time.
        guard start > entries.count / 2 else { return }
        entries.removeFirst(start)
        start = 0
    }

    /// The oldest events after an id, found by binary search.
    package func oldest(_ count: Int, after id: Int64 = .min) -> ArraySlice<StoredEvent> {
        var (low, high) = (start, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        return entries[low...].prefix(max(0, count))
    }

    /// Removes events; fast for the oldest ones. Ignores other ids.
    package mutating func remove(_ ids: some Sequence<Int64>) {
        var ids = Set(ids)
        while let first = events.first, ids.remove(first.id) != nil { removeFirst() }
        guard !ids.isEmpty else { return }
        entries = events.filter { !ids.contains($0.id) }
        start = 0
        bytes = entries.reduce(0) { $0 + $1.event.visitor.count }
    }
}
