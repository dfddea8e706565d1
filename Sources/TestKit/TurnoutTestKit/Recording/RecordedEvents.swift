public import TurnoutClient

/// An event store that records the events of a client.
///
/// ```swift
/// let sent = RecordedEvents()
/// let client = FlagClient.scripted(.always("checkout", "variation_b"), .event("purchase"), recording: sent)
/// // …
/// #expect(sent.impressions.map(\.flagKey) == ["checkout"])
/// #expect(sent.conversions.first?.revenue == 4250)
/// ```
///
/// Events stay recorded after their delivery, in the form in which they are sent: attributes that the client omits are
/// missing.
public final class RecordedEvents: EventStore {
    private let store = MemoryEventStore(limit: .max)
    private let everything = Locked<[OutgoingEvent]>([])

    /// Creates an empty store.
    public init() {}

    /// Impressions that were accepted for delivery, oldest first.
    public var impressions: [RecordedImpression] { all.compactMap(RecordedImpression.init) }

    /// Conversions that were accepted for delivery, oldest first.
    public var conversions: [RecordedConversion] { all.compactMap(RecordedConversion.init) }

    /// All events, oldest first, as they are sent.
    public var all: [OutgoingEvent] { everything.withLock { $0 } }

    /// Clears the record. Queued events stay queued.
    public func forget() { everything.withLock { $0 = [] } }

    // MARK: Event store

    /// Adds an event.
    public func append(_ event: OutgoingEvent) throws {
        // One lock for both, so the record has the order of the store.
        try everything.withLock { all in
            try store.append(event)
            all.append(event)
        }
    }

    /// The oldest queued events.
    public func oldest(_ count: Int) -> [StoredEvent] { store.oldest(count) }
    /// The oldest queued events after an id.
    public func oldest(_ count: Int, after id: Int64) -> [StoredEvent] { store.oldest(count, after: id) }

    /// Removes events that were delivered; the record keeps them.
    public func remove(_ ids: [Int64]) { store.remove(ids) }

    /// The number of queued events.
    public var count: Int { store.count }
}
