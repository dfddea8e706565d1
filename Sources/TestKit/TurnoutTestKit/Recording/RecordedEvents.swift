public import TurnoutClient

/// An event store that shows what a client wanted to send.
///
/// ```swift
/// let sent = RecordedEvents()
/// let client = Client.scripted(.always("checkout", "variation_b"), .event("purchase"), recording: sent)
/// // …
/// #expect(sent.impressions.map(\.flagKey) == ["checkout"])
/// #expect(sent.conversions.first?.revenue == 4250)
/// ```
///
/// Events stay here after they were delivered. They are shown as they are sent: what the client leaves out is missing.
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

    /// Forgets what was recorded so far. What waits for delivery goes on waiting.
    public func forget() { everything.withLock { $0 = [] } }

    // MARK: Event store

    /// Adds an event.
    public func append(_ event: OutgoingEvent) throws {
        // One lock around both, so that the record has the order of the store.
        try everything.withLock { all in
            try store.append(event)
            all.append(event)
        }
    }

    /// The oldest events that wait for delivery.
    public func oldest(_ count: Int) -> [StoredEvent] { store.oldest(count) }

    /// Removes events that were delivered; the record keeps them.
    public func remove(_ ids: [Int64]) { store.remove(ids) }

    /// How many events wait for delivery.
    public var count: Int { store.count }
}
