/// What follows a statement in a message.
struct RequestParameters {
    private enum Flag {
        static let values: UInt8 = 0x01
        static let skipsMetadata: UInt8 = 0x02
        static let pageSize: UInt8 = 0x04
        static let pagingState: UInt8 = 0x08
        static let serialConsistency: UInt8 = 0x10
        static let timestamp: UInt8 = 0x20
        static let names: UInt8 = 0x40
    }

    let consistency: Consistency
    var values: [BoundValue] = []
    /// The names of the values, if they have some.
    var names: [String] = []
    var skipsMetadata = false
    var pageSize: Int?
    var pagingState: PagingState?
    /// Microseconds.
    var timestamp: Int64?

    /// Reads the parameters of a query.
    init(_ reader: inout FrameReader) throws(CQLError) {
        consistency = try Self.consistency(&reader)
        let flags = try reader.byte()
        if flags & Flag.values != 0 {
            let count = Int(try reader.short())
            values.reserveCapacity(count)
            for _ in 0..<count {
                if flags & Flag.names != 0 { names.append(try reader.string()) }
                values.append(try reader.value())
            }
        }
        skipsMetadata = flags & Flag.skipsMetadata != 0
        if flags & Flag.pageSize != 0 { pageSize = Int(try reader.int()) }
        if flags & Flag.pagingState != 0, let state = try reader.longBytes() { pagingState = try PagingState(state) }
        try readEnd(flags, &reader)
    }

    /// Reads the parameters of a batch.
    init(ofBatch reader: inout FrameReader) throws(CQLError) {
        consistency = try Self.consistency(&reader)
        try readEnd(try reader.byte(), &reader)
    }

    private static func consistency(_ reader: inout FrameReader) throws(CQLError) -> Consistency {
        let code = try reader.short()
        guard let consistency = Consistency(rawValue: code) else {
            throw .protocolError("the consistency \(code) is unknown")
        }
        return consistency
    }

    private mutating func readEnd(_ flags: UInt8, _ reader: inout FrameReader) throws(CQLError) {
        if flags & Flag.serialConsistency != 0 { _ = try reader.short() }
        if flags & Flag.timestamp != 0 { timestamp = try reader.long() }
    }

    /// The values in the order of a plan's markers.
    func bound(to plan: Plan) throws(CQLError) -> [BoundValue] {
        if names.isEmpty {
            guard values.count == plan.markers.count else {
                throw .invalid("there are \(values.count) values for \(plan.markers.count) markers")
            }
            return values
        }
        var bound: [BoundValue] = []
        for marker in plan.markers {
            guard let index = names.firstIndex(of: marker.name) else { throw .invalid("no value for \(marker.name)") }
            bound.append(values[index])
        }
        return bound
    }
}
