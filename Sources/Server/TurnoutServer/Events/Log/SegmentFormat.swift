import TurnoutSQLite

/// The format of a segment: records one after the other, each with a header of 24 bytes, in little-endian order:
///
/// | Bytes | Content |
/// | --- | --- |
/// | 0..<4 | a mark, by which records after damage are found |
/// | 4..<8 | the number of bytes of the body |
/// | 8..<16 | when it was received, in milliseconds since 1970 |
/// | 16..<24 | the checksum of the record's offset in the log, the time and the body |
///
/// The checksum covers the offset, so a record at a wrong place, such as an old block of the disk, is damage.
///
/// Of an erased record only its place and its time are left: its body is zeros, and no body begins with a zero.
enum SegmentFormat {
    static let headerSize = 24
    private static let mark: UInt32 = 0x5456_4E54
    /// The bytes of the mark as they are in the file.
    private static let firstByte = UInt8(truncatingIfNeeded: mark)

    /// A record's header, and whether its body follows.
    struct Header {
        let length: Int
        let receivedAt: Int64
        let checksum: Int64
    }

    static func append(_ body: [UInt8], receivedAt time: Int64, offset: Int64, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: mark)
        bytes.append(littleEndian: UInt32(body.count))
        bytes.append(littleEndian: UInt64(bitPattern: time))
        let sum = body.withUnsafeBytes { checksum($0, receivedAt: time, offset: offset) }
        bytes.append(littleEndian: UInt64(bitPattern: sum))
        bytes += body
    }

    /// The body of an erased record.
    static func erasedBody(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Whether a record was erased.
    static func isErased(_ record: EventLogRecord) -> Bool { record.body.first == 0 }

    /// The header at a place, nil if there is none.
    static func header(in bytes: UnsafeRawBufferPointer, at place: Int) -> Header? {
        guard place + headerSize <= bytes.count,
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)) == mark
        else { return nil }
        let length = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
        let time = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: Int64.self))
        let sum = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 16, as: Int64.self))
        return Header(length: Int(length), receivedAt: time, checksum: sum)
    }

    /// The next place that may be the start of a record, or the end of the bytes.
    static func nextCandidate(in bytes: UnsafeRawBufferPointer, after place: Int) -> Int {
        var place = place + 1
        while place < bytes.count {
            guard bytes[place] == firstByte else {
                place += 1
                continue
            }
            if place + 4 > bytes.count
                || UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)) == mark
            {
                return place
            }
            place += 1
        }
        return bytes.count
    }

    static func checksum(_ body: UnsafeRawBufferPointer, receivedAt time: Int64, offset: Int64) -> Int64 {
        var sum = Checksum()
        sum.add(offset)
        sum.add(time)
        sum.add(body)
        return sum.value
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
