/// Reads the values of a message's body, from a part of the bytes of a connection.
struct FrameReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) {
        self.bytes = bytes
        position = start
        self.end = end ?? bytes.count
    }

    private mutating func advance(_ count: Int) throws(CQLError) -> Int {
        guard count >= 0, count <= end - position else { throw .protocolError("the message ends too early") }
        defer { position += count }
        return position
    }

    mutating func byte() throws(CQLError) -> UInt8 { bytes[try advance(1)] }

    mutating func short() throws(CQLError) -> UInt16 {
        let start = try advance(2)
        return UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
    }

    mutating func int() throws(CQLError) -> Int32 {
        let start = try advance(4)
        var value: UInt32 = 0
        for index in start..<(start + 4) { value = value << 8 | UInt32(bytes[index]) }
        return Int32(bitPattern: value)
    }

    mutating func long() throws(CQLError) -> Int64 {
        let high = try int()
        return Int64(high) << 32 | Int64(UInt32(bitPattern: try int()))
    }

    private mutating func text(_ count: Int) throws(CQLError) -> String {
        let start = try advance(count)
        return String(decoding: bytes[start..<(start + count)], as: UTF8.self)
    }

    mutating func string() throws(CQLError) -> String { try text(Int(try short())) }
    mutating func longString() throws(CQLError) -> String { try text(Int(try int())) }

    private mutating func array(_ count: Int) throws(CQLError) -> [UInt8] {
        let start = try advance(count)
        return Array(bytes[start..<(start + count)])
    }

    mutating func shortBytes() throws(CQLError) -> [UInt8] { try array(Int(try short())) }

    mutating func longBytes() throws(CQLError) -> [UInt8]? {
        let count = try int()
        return count < 0 ? nil : try array(Int(count))
    }

    /// A value that is bound to a marker.
    mutating func value() throws(CQLError) -> BoundValue {
        let count = try int()
        if count == -2 { return .unset }
        return count < 0 ? .null : .bytes(try array(Int(count)))
    }

    mutating func stringList() throws(CQLError) -> [String] {
        var list: [String] = []
        for _ in 0..<(try short()) { list.append(try string()) }
        return list
    }

    mutating func skipStringMap() throws(CQLError) {
        for _ in 0..<(try short()) {
            _ = try string()
            _ = try string()
        }
    }

    /// Skips the custom payload before a body.
    mutating func skipBytesMap() throws(CQLError) {
        for _ in 0..<(try short()) {
            _ = try string()
            _ = try longBytes()
        }
    }
}

/// A value that is bound to a marker of a statement.
enum BoundValue: Sendable, Equatable {
    case bytes([UInt8])
    case null
    /// Leaves the column as it is.
    case unset
}
