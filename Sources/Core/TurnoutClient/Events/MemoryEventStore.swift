/// Keeps events as long as the process runs.
public final class MemoryEventStore: EventStore {
    private struct State {
        /// Entries before `start` were removed.
        var events: [StoredEvent] = []
        var start = 0
        var nextID: Int64 = 1
        var size = 0
        var losses = EventLosses()
        var isDelivering = false
        var count: Int { events.count - start }
    }

    private let limit: Int
    private let sizeLimit: Int
    private let overflow: EventOverflow
    private let state = Locked(State())

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - limit: The most events it holds. Default: 10,000, some 5 MB.
    ///   - sizeLimit: The most bytes that they have together, without what they share. Default: 50 MB.
    ///   - overflow: What gives way when there is no room. Default: the new event.
    public init(limit: Int = 10_000, sizeLimit: Int = 50_000_000, overflow: EventOverflow = .refuseNewest) {
        self.limit = max(1, limit)
        self.sizeLimit = max(1, sizeLimit)
        self.overflow = overflow
    }

    /// Adds an event at the end; O(1).
    public func append(_ event: OutgoingEvent) throws {
        try state.withLock { state in
            while !hasRoom(for: event, in: state) {
                guard overflow == .dropOldest, state.count > 0 else { throw EventStoreError.full }
                removeOldest(&state)
                state.losses.add(1, .noRoom)
            }
            state.events.append(StoredEvent(id: state.nextID, event: event))
            state.nextID += 1
            state.size += event.visitor.count
        }
    }

    private func hasRoom(for event: OutgoingEvent, in state: State) -> Bool {
        state.count < limit && state.size + event.visitor.count <= sizeLimit
    }

    private func removeOldest(_ state: inout State) {
        state.size -= state.events[state.start].event.visitor.count
        state.start += 1
        // Moving the rest to the front costs as much as was removed since it was done last.
        guard state.start > state.events.count / 2 else { return }
        state.events.removeFirst(state.start)
        state.start = 0
    }

    /// The oldest events.
    public func oldest(_ count: Int) -> [StoredEvent] {
        state.withLock { Array($0.events[$0.start...].prefix(max(0, count))) }
    }

    /// Removes events; fast for the oldest ones.
    public func remove(_ ids: [Int64]) {
        state.withLock { state in
            var ids = Set(ids)
            while state.count > 0, ids.remove(state.events[state.start].id) != nil { removeOldest(&state) }
            guard !ids.isEmpty else { return }
            state.events.removeFirst(state.start)
            state.start = 0
            state.events.removeAll { ids.contains($0.id) }
            state.size = state.events.reduce(0) { $0 + $1.event.visitor.count }
        }
    }

    /// How many events there are.
    public var count: Int { state.withLock { $0.count } }

    /// Lets one of those who share the store deliver at a time.
    public func beginDelivery() -> Bool {
        state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
    }

    /// Lets others deliver.
    public func endDelivery() { state.withLock { $0.isDelivering = false } }

    /// How many had to make room.
    public var losses: EventLosses { state.withLock { $0.losses } }
}

extension EventStore where Self == MemoryEventStore {
    /// In memory, up to 10,000 events.
    public static var memory: MemoryEventStore { MemoryEventStore() }
    /// In memory, up to so many events.
    public static func memory(limit: Int) -> MemoryEventStore { MemoryEventStore(limit: limit) }
}
