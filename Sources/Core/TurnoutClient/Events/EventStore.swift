/// Keeps events until they are delivered, oldest first.
///
/// An event that was appended without an error is not lost as long as the store lives.
public protocol EventStore: Sendable {
    /// Adds an event at the end.
    ///
    /// - Throws: ``EventStoreError/full`` if there are too many, or anything else if it could not be stored.
    func append(_ event: OutgoingEvent) throws
    /// The oldest events, at most `count`. They stay.
    func oldest(_ count: Int) throws -> [StoredEvent]
    /// Removes events; those that are gone already do not matter.
    func remove(_ ids: [Int64]) throws
    /// How many events there are.
    var count: Int { get }
}

/// An event in a store.
public struct StoredEvent: Sendable, Equatable {
    /// What the store knows it by; later events have larger numbers.
    public let id: Int64
    /// The event.
    public let event: OutgoingEvent

    /// Creates an entry.
    public init(id: Int64, event: OutgoingEvent) {
        self.id = id
        self.event = event
    }
}

/// Why a store does not take an event.
public enum EventStoreError: Error, Sendable, Equatable {
    /// It holds as many as it may.
    case full
}

/// Keeps events as long as the process runs.
public final class MemoryEventStore: EventStore {
    private struct State {
        /// Entries before `start` were removed.
        var events: [StoredEvent] = []
        var start = 0
        var nextID: Int64 = 1
        var count: Int { events.count - start }
    }

    private let limit: Int
    private let state = Locked(State())

    /// Creates an empty store.
    ///
    /// - Parameter limit: The most events it holds; further ones are refused. Default: 10,000, some 5 MB.
    public init(limit: Int = 10_000) { self.limit = max(1, limit) }

    /// Adds an event at the end; O(1).
    public func append(_ event: OutgoingEvent) throws {
        try state.withLock { state in
            guard state.count < limit else { throw EventStoreError.full }
            state.events.append(StoredEvent(id: state.nextID, event: event))
            state.nextID += 1
        }
    }

    /// The oldest events.
    public func oldest(_ count: Int) -> [StoredEvent] {
        state.withLock { Array($0.events[$0.start...].prefix(max(0, count))) }
    }

    /// Removes events; fast for the oldest ones.
    public func remove(_ ids: [Int64]) {
        state.withLock { state in
            var ids = Set(ids)
            while state.start < state.events.count, ids.remove(state.events[state.start].id) != nil { state.start += 1 }
            if !ids.isEmpty { state.events[state.start...].removeAll { ids.contains($0.id) } }
            // Moving the rest to the front costs as much as was removed since it was done last.
            guard state.start > state.events.count / 2 else { return }
            state.events.removeFirst(state.start)
            state.start = 0
        }
    }

    /// How many events there are.
    public var count: Int { state.withLock { $0.count } }
}

extension EventStore where Self == MemoryEventStore {
    /// In memory, up to 10,000 events.
    public static var memory: MemoryEventStore { MemoryEventStore() }
    /// In memory, up to so many events.
    public static func memory(limit: Int) -> MemoryEventStore { MemoryEventStore(limit: limit) }
}
