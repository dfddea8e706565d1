extension OutgoingEvent {
    /// A number that identifies the event's user, to keep the order of a user's events; 0 if unknown.
    package var userKey: UInt64 {
        guard sharesRequests else { return 0 }
        if visitor.starts(with: Self.start) {
            let id = visitor[Self.start.count...].prefix { $0 != UInt8(ascii: "\"") }
            // An escape can be written in several ways.
            if !id.contains(UInt8(ascii: "\\")) { return Self.hash(id) }
        }
        guard case .string(let id)? = (try? JSONValue(parsing: visitor))?["visitor_id"] else { return 0 }
        return Self.hash(id.utf8)
    }

    /// The beginning of client events.
    private static let start = Array("{\"visitor_id\":\"".utf8)

    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 { max(1, DeliveryHash.of(bytes)) }
}

/// FNV-1a, with well-mixed low bits. The same in every process.
enum DeliveryHash {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 32)) &* 0x9E37_79B9_7F4A_7C15
        return hash ^ (hash >> 32)
    }
}
