/// Keeps events until they are delivered, oldest first.
///
/// An event that was appended without an error is not lost as long as the store lives.
public protocol EventStore: Sendable {
    /// Adds an event at the end.
    ///
    /// - Throws: ``EventStoreError``, or anything else if it could not be stored.
    func append(_ event: OutgoingEvent) throws
    /// The oldest events, at most `count`. They stay.
    func oldest(_ count: Int) throws -> [StoredEvent]
    /// Removes events; those that are gone already do not matter.
    func remove(_ ids: [Int64]) throws
    /// How many events there are.
    var count: Int { get }

    /// Adds events at the end, together: a store that waits for a disk waits once for all of them. Default: adds one
    /// after the other.
    ///
    /// - Returns: Why an event could not be stored, by its place among those given: what ``append(_:)`` throws.
    func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error]
    /// Whether adding events waits, for a disk or a network. Default: false.
    var waitsForDurability: Bool { get }
    /// Puts events aside that their receiver does not want, so that they are not sent again. Default: removes them.
    func reject(_ ids: [Int64]) throws
    /// Stores that several clients or processes share let one of them deliver at a time. Default: true.
    ///
    /// - Returns: Whether the caller may deliver, until ``endDelivery()``.
    func beginDelivery() -> Bool
    /// Lets others deliver. Called after each ``beginDelivery()`` that returned true. Default: nothing.
    func endDelivery()
    /// Waits until everything that was appended is as durable as the store can make it. Default: nothing.
    ///
    /// - Throws: Anything, if it could not be stored.
    func synchronize() throws
    /// What the store itself gave up: events that had to make room, or that were damaged. Default: nothing.
    var losses: EventLosses { get }
}

extension EventStore {
    /// Adds one after the other.
    public func append(contentsOf events: [OutgoingEvent]) -> [Int: any Error] {
        var errors: [Int: any Error] = [:]
        for (place, event) in events.enumerated() {
            do { try append(event) } catch { errors[place] = error }
        }
        return errors
    }
    /// False.
    public var waitsForDurability: Bool { false }
    /// Removes the events.
    public func reject(_ ids: [Int64]) throws { try remove(ids) }
    /// True.
    public func beginDelivery() -> Bool { true }
    /// Does nothing.
    public func endDelivery() {}
    /// Does nothing.
    public func synchronize() throws {}
    /// Nothing.
    public var losses: EventLosses { EventLosses() }
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
    /// It holds as many as it may. The event was not taken.
    case full
    /// The event was taken and will be delivered, but only as long as the process lives: it could not be written to
    /// where it would outlast it.
    case notDurable
}

/// What gives way when a store is full.
public enum EventOverflow: Sendable {
    /// The event that does not fit is refused.
    case refuseNewest
    /// The oldest event makes room.
    case dropOldest
}
