/// Keeps events until they are delivered, oldest first.
///
/// An event that was appended without an error is not lost as long as the store exists.
///
/// To write a store, implement ``append(_:)``, ``oldest(_:)``, ``remove(_:)`` and ``count``; everything else has a
/// default. A client appends on the threads that decide and track, several at a time, so appending must return quickly,
/// unless ``waitsForDurability`` is true. It reads, removes and rejects events on its delivery thread, which may block.
/// If appending throws, the event is counted in ``FlagClient/lostEvents``; after any other error, delivery is retried
/// later.
///
/// ```swift
/// struct TableEventStore: EventStore {
///     /// Rows with ascending ids that are never used again.
///     let rows: any EventRows
///
///     func append(_ event: OutgoingEvent) throws { try rows.insert(event) }
///     func oldest(_ count: Int) throws -> [StoredEvent] {
///         try rows.first(count).map { StoredEvent(id: $0.id, event: $0.event) }
///     }
///     func remove(_ ids: [Int64]) throws { try rows.delete(ids) }
///     /// A counter in memory.
///     var count: Int { rows.count }
/// }
/// ```
///
/// Store all parts of an event: ``OutgoingEvent/group``, ``OutgoingEvent/visitor`` and ``OutgoingEvent/timestamp``.
/// ``MemoryEventStore`` is a store in memory. `checkEventStore` of `TurnoutTestKit` checks what a store has to
/// guarantee.
public protocol EventStore: Sendable {
    /// Adds an event at the end.
    ///
    /// - Throws: ``EventStoreError``, or any other error if it could not be stored.
    func append(_ event: OutgoingEvent) throws
    /// Returns the oldest events, at most `count`, without removing them.
    func oldest(_ count: Int) throws -> [StoredEvent]
    /// Returns the oldest events with ids above `id`, at most `count`, without removing them. Default: reads the oldest
    /// events and drops those up to `id`; a store that can seek should implement this.
    func oldest(_ count: Int, after id: Int64) throws -> [StoredEvent]
    /// Removes events; ids that are not in the store are ignored.
    func remove(_ ids: [Int64]) throws
    /// The number of events. Must return quickly: decisions read it.
    var count: Int { get }

    /// Appends several events; a store that waits for a disk waits once for all of them. Default: appends them one by
    /// one.
    ///
    /// - Returns: The errors of events that could not be stored, by index: those that ``append(_:)`` throws.
    func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error]
    /// Appends several events, and waits until they are as durable as the store makes them, without blocking the
    /// caller's thread. Default: if the store waits, appends them on a thread for blocking calls.
    ///
    /// - Returns: The errors of events that could not be stored, by index.
    func appendDurably(_ events: [OutgoingEvent]) async -> [Int: any Error]
    /// Whether appending waits for a disk or a network. Default: false.
    var waitsForDurability: Bool { get }
    /// Whether stored events survive the process. Default: ``waitsForDurability``.
    var isDurable: Bool { get }
    /// Sets refused events aside, so that they are not sent again. Default: removes them.
    func reject(_ ids: [Int64]) throws
    /// Acquires the delivery lock. A store that several clients or processes share lets one of them deliver at a time.
    /// Default: returns true.
    ///
    /// - Returns: Whether the caller may deliver, until ``endDelivery()``.
    func beginDelivery() -> Bool
    /// Releases the delivery lock. Called after each ``beginDelivery()`` that returned true. Default: does nothing.
    func endDelivery()
    /// Waits until all appended events are as durable as the store can make them. Default: does nothing.
    ///
    /// - Throws: Any error, if they could not be stored.
    func synchronize() throws
    /// The events that the store gave up, because it was full or they were damaged. Default: none.
    var losses: EventLosses { get }
}

extension EventStore {
    /// Appends them one by one.
    public func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
        var errors: [Int: any Error] = [:]
        for (place, event) in events.enumerated() {
            do { try append(event) } catch { errors[place] = error }
        }
        return errors
    }
    /// Appends them on a thread for blocking calls if ``waitsForDurability`` is true.
    public func appendDurably(_ events: [OutgoingEvent]) async -> [Int: any Error] {
        guard waitsForDurability else { return append(contentsOf: events) }
        return await BlockingCall.value { self.append(contentsOf: events) }
    }
    /// Reads more and more of the oldest events until enough of them are after the id.
    public func oldest(_ count: Int, after id: Int64) throws -> [StoredEvent] {
        guard id > .min else { return try oldest(count) }
        var reach = count
        while true {
            let events = try oldest(reach)
            let rest = events.drop { $0.id <= id }
            if rest.count >= count || events.count < reach { return Array(rest.prefix(count)) }
            reach = 2 * reach + 1_000
        }
    }
    /// Returns false.
    public var waitsForDurability: Bool { false }
    /// Returns ``waitsForDurability``.
    public var isDurable: Bool { waitsForDurability }
    /// Removes the events.
    public func reject(_ ids: [Int64]) throws { try remove(ids) }
    /// Returns true.
    public func beginDelivery() -> Bool { true }
    /// Does nothing.
    public func endDelivery() {}
    /// Does nothing.
    public func synchronize() throws {}
    /// Returns empty counts.
    public var losses: EventLosses { EventLosses() }
}

/// An event in a store.
public struct StoredEvent: Sendable, Equatable {
    /// The store's id for the event; later events have larger ids.
    public let id: Int64
    /// The event.
    public let event: OutgoingEvent
    /// Ids from here on are for events that a store could not write yet. Such events may get a smaller id later.
    package static let firstTemporaryID: Int64 = 1 << 62

    /// Creates an entry.
    public init(id: Int64, event: OutgoingEvent) {
        self.id = id
        self.event = event
    }
}

/// Why a store could not accept or keep an event.
public enum EventStoreError: Error, Sendable, Equatable {
    /// The store is full. The event was not accepted.
    case full
    /// The event was accepted and will be delivered, but could not be made durable: it is lost if the process ends
    /// first.
    case notDurable
}

/// Which event is dropped when a store is full.
public enum EventOverflow: Sendable {
    /// The new event is refused.
    case refuseNewest
    /// The oldest event is dropped.
    case dropOldest
}
