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

/// An impression as it is sent.
public struct RecordedImpression: Sendable, Equatable {
    /// The user's id.
    public let userID: String
    /// The attributes that are sent, by name.
    public let attributes: [String: JSONValue]
    /// The key of the flag.
    public let flagKey: String
    /// The key of the rule; empty if none decided.
    public let ruleKey: String
    /// The type of the rule, such as `feature-test`.
    public let ruleType: String
    /// The key of the variation; empty if there is none.
    public let variationKey: String
    /// Whether the flag was on.
    public let isEnabled: Bool
    /// Milliseconds since 1970.
    public let timestamp: Int64
    /// The id of the event.
    public let uuid: String

    /// Reads an impression. Returns nil for other events.
    init?(_ event: OutgoingEvent) {
        guard let visitor = RecordedVisitor(event), let decision = visitor.decision,
            case .object(let metadata)? = decision["metadata"], case .bool(let isEnabled)? = metadata["enabled"]
        else { return nil }
        userID = visitor.userID
        attributes = visitor.attributes
        flagKey = metadata.text("flag_key")
        ruleKey = metadata.text("rule_key")
        ruleType = metadata.text("rule_type")
        variationKey = metadata.text("variation_key")
        self.isEnabled = isEnabled
        timestamp = visitor.timestamp
        uuid = visitor.event.text("uuid")
    }
}

/// A conversion as it is sent.
public struct RecordedConversion: Sendable, Equatable {
    /// The user's id.
    public let userID: String
    /// The attributes that are sent, by name.
    public let attributes: [String: JSONValue]
    /// The key of the event.
    public let eventKey: String
    /// The revenue in cents.
    public let revenue: Int64?
    /// The value.
    public let value: Double?
    /// The tags.
    public let tags: [String: JSONValue]
    /// Milliseconds since 1970.
    public let timestamp: Int64
    /// The id of the event.
    public let uuid: String

    /// Reads a conversion. Returns nil for other events.
    init?(_ event: OutgoingEvent) {
        guard let visitor = RecordedVisitor(event), visitor.decision == nil else { return nil }
        userID = visitor.userID
        attributes = visitor.attributes
        eventKey = visitor.event.text("key")
        if case .integer(let cents)? = visitor.event["revenue"] { revenue = cents } else { revenue = nil }
        value = visitor.event["value"]?.number
        if case .object(let members)? = visitor.event["tags"] { tags = members } else { tags = [:] }
        timestamp = visitor.timestamp
        uuid = visitor.event.text("uuid")
    }
}

/// The common parts of impressions and conversions.
private struct RecordedVisitor {
    let userID: String
    let attributes: [String: JSONValue]
    /// The decision, or nil for a conversion.
    let decision: [String: JSONValue]?
    let event: [String: JSONValue]

    var timestamp: Int64 { if case .integer(let time)? = event["timestamp"] { time } else { 0 } }

    init?(_ event: OutgoingEvent) {
        guard case .object(let visitor)? = try? JSONValue(parsing: event.visitor),
            let snapshot = visitor.objects("snapshots").first, let first = snapshot.objects("events").first
        else { return nil }
        userID = visitor.text("visitor_id")
        let pairs = visitor.objects("attributes").map { ($0.text("key"), $0["value"] ?? .null) }
        attributes = Dictionary(pairs) { $1 }
        decision = snapshot.objects("decisions").first
        self.event = first
    }
}

extension [String: JSONValue] {
    fileprivate func text(_ key: String) -> String {
        if case .string(let text)? = self[key] { text } else { "" }
    }

    fileprivate func objects(_ key: String) -> [[String: JSONValue]] {
        guard case .array(let elements)? = self[key] else { return [] }
        return elements.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }
}
