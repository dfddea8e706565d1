/// Keeps events in memory, up to a limit, until they are delivered. They are lost if the process ends first.
///
/// May be shared by several clients of a process; one of them delivers at a time. After `fork`, the store of the child
/// is empty: the parent delivers the events.
public final class MemoryEventStore: EventStore {
    private struct State {
        private let generation = Fork.generation
        var buffer = EventBuffer()
        var nextID: Int64 = 1
        var losses = EventLosses()
        var isDelivering = false

        /// Empties the store in a forked child: the parent delivers these events.
        mutating func startCleanAfterFork() { if generation != Fork.generation { self = State() } }
    }

    private let limit: Int
    private let sizeLimit: Int
    private let overflow: EventOverflow
    private let state = Locked(State())

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of events. Default: 10,000, about 5 MB.
    ///   - sizeLimit: The maximum total size of events in bytes, without shared data. Default: 50 MB.
    ///   - overflow: Which event is dropped when the store is full. Default: the new one.
    public init(limit: Int = 10_000, sizeLimit: Int = 50_000_000, overflow: EventOverflow = .refuseNewest) {
        self.limit = max(1, limit)
        self.sizeLimit = max(1, sizeLimit)
        self.overflow = overflow
    }

    /// Appends an event; O(1).
    ///
    /// - Throws: ``EventStoreError/full`` if there is no room and the store refuses new events.
    public func append(_ event: OutgoingEvent) throws {
        try state.withLock { state in
            state.startCleanAfterFork()
            while state.buffer.count >= limit || state.buffer.bytes + event.visitor.count > sizeLimit {
                guard overflow == .dropOldest, state.buffer.count > 0 else { throw EventStoreError.full }
                state.buffer.removeFirst()
                state.losses.add(1, .noRoom)
            }
            state.buffer.append(event, id: state.nextID)
            state.nextID += 1
        }
    }

    /// The oldest events.
    public func oldest(_ count: Int) -> [StoredEvent] { oldest(count, after: .min) }

    /// The oldest events after an id, found by binary search.
    public func oldest(_ count: Int, after id: Int64) -> [StoredEvent] {
        state.withLock { state in
            state.startCleanAfterFork()
            return Array(state.buffer.oldest(count, after: id))
        }
    }

    /// Removes events; fast for the oldest ones.
    public func remove(_ ids: [Int64]) { state.withLock { $0.buffer.remove(ids) } }

    /// The number of events.
    public var count: Int {
        state.withLock { state in
            state.startCleanAfterFork()
            return state.buffer.count
        }
    }

    /// Acquires the delivery lock for one of the queues that share the store.
    public func beginDelivery() -> Bool {
        state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
    }

    /// Releases the delivery lock.
    public func endDelivery() { state.withLock { $0.isDelivering = false } }

    /// The number of events that were dropped to make room.
    public var losses: EventLosses { state.withLock { $0.losses } }
}

extension EventStore where Self == MemoryEventStore {
    /// Creates a store in memory for up to 10,000 events.
    public static var memory: MemoryEventStore { MemoryEventStore() }
    /// Creates a store in memory for a given number of events.
    public static func memory(limit: Int) -> MemoryEventStore { MemoryEventStore(limit: limit) }
}
