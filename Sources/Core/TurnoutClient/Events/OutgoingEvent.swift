/// An impression or a conversion to deliver.
///
/// Its time and id were fixed when it happened, so a receiver can drop duplicates.
public struct OutgoingEvent: Sendable, Equatable {
    /// The destination of events and their common data; only events of one group share a request.
    public struct Group: Sendable, Hashable {
        /// The region that collects the events.
        public let region: Project.Region
        /// The beginning of a payload, up to its list of events. If it is empty, each event is a complete payload,
        /// which is sent individually and unchanged.
        public let envelope: String
        /// The end of a payload. Default: `]}`.
        public let closing: String
        /// The address that replaces the region's; nil: the region's address. Default: nil.
        public let address: String?
        /// The API key for the receiver, sent as `x-api-key`. Default: nil.
        public let key: String?

        /// Creates a group.
        public init(
            region: Project.Region, envelope: String, closing: String = "]}", address: String? = nil, key: String? = nil
        ) {
            self.region = region
            self.envelope = envelope
            self.closing = closing
            self.address = address
            self.key = key
        }
    }

    /// The group of the event.
    public let group: Group
    /// The event as an entry of the payload's list, JSON in UTF-8; or a complete payload, if the group has no envelope.
    public let visitor: [UInt8]
    /// The time of the event, in milliseconds since 1970; nil if unknown, in which case it never expires.
    public let timestamp: Int64?

    /// Creates an event.
    public init(group: Group, visitor: [UInt8], timestamp: Int64? = nil) {
        self.group = group
        self.visitor = visitor
        self.timestamp = timestamp
    }

    /// Whether other events of the group may be sent in the same request.
    package var sharesRequests: Bool { !group.envelope.isEmpty }
}

/// The addresses that receive the payloads of each region.
public struct EventEndpoints: Sendable, Equatable {
    /// The address of the United States. Default: the vendor's.
    public var us = "https://logx.optimizely.com/v1/events"
    /// The address of the European Union. Default: the vendor's.
    public var eu = "https://eu.logx.optimizely.com/v1/events"

    /// Creates the vendor's addresses.
    public init() {}

    /// The address for a region.
    public subscript(region: Project.Region) -> String {
        switch region {
        case .us: us
        case .eu: eu
        }
    }

    /// The destination address of a group.
    func address(of group: OutgoingEvent.Group) -> String { group.address ?? self[group.region] }
}

extension OutgoingEvent {
    /// The event's user, to keep the order of a user's events; nil if unknown.
    package var user: String? {
        guard sharesRequests, case .string(let id)? = (try? JSONValue(parsing: visitor))?["visitor_id"] else {
            return nil
        }
        return id
    }

    /// The event as a complete payload, JSON in UTF-8.
    public var payload: [UInt8] { Self.payload(of: [self]) }

    /// Events of one group as one payload, JSON in UTF-8.
    ///
    /// - Complexity: O(n) in the length of the payload.
    public static func payload(of events: [OutgoingEvent]) -> [UInt8] {
        guard let group = events.first?.group else { return [] }
        if group.envelope.isEmpty { return events[0].visitor }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(events.reduce(group.envelope.utf8.count + 2) { $0 + $1.visitor.count + 1 })
        bytes += group.envelope.utf8
        for (index, event) in events.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += event.visitor
        }
        bytes += group.closing.utf8
        return bytes
    }
}
