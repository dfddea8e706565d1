extension OutgoingEvent {
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
