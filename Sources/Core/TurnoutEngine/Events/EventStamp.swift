/// The identity of an event: its time and a unique id.
///
/// Both are fixed when the event is created and never change on retries, so a receiver can drop duplicates.
public struct EventStamp: Sendable, Equatable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public let timestamp: Int64
    /// A random UUID.
    public let uuid: EventID

    /// Creates a stamp. The engine has neither a clock nor a random source; the caller supplies both.
    public init(timestamp: Int64, uuid: EventID) {
        self.timestamp = timestamp
        self.uuid = uuid
    }
}

/// A random UUID (RFC 9562, version 4), written in upper case as the vendor does.
public struct EventID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Creates a UUID from 122 random bits.
    public init(using random: inout some RandomNumberGenerator) {
        self.init(random.next(), random.next())
    }

    /// Creates a UUID from the given bits; the version and variant bits are overwritten.
    public init(_ high: UInt64, _ low: UInt64) {
        self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    private static let textLength = 36

    /// Appends the ``textLength`` characters.
    @inline(__always)
    func append(to cursor: inout ByteCursor) {
        let dash = UInt8(ascii: "-")
        let (first, second) = (Self.digits(of: high >> 32), Self.digits(of: high))
        let (third, fourth) = (Self.digits(of: low >> 32), Self.digits(of: low))
        cursor.append(characters: first)
        cursor.append(dash)
        cursor.append(characters: UInt32(truncatingIfNeeded: second))
        cursor.append(dash)
        cursor.append(characters: UInt32(truncatingIfNeeded: second >> 32))
        cursor.append(dash)
        cursor.append(characters: UInt32(truncatingIfNeeded: third))
        cursor.append(dash)
        cursor.append(characters: UInt32(truncatingIfNeeded: third >> 32))
        cursor.append(characters: fourth)
    }

    /// The hexadecimal digits of the lower 32 bits, all eight at once, the first in the lowest byte.
    @inline(__always)
    private static func digits(of word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var digits = UInt64(UInt32(truncatingIfNeeded: word).byteSwapped)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits >> 4 | digits << 8) & (ones &* 0x0F)
        // Adding 6 to digits of ten or more carries into the next four bits; "A" is seven characters after ":".
        let letters = (digits &+ ones &* 6) >> 4 & ones
        return digits &+ ones &* 0x30 &+ letters &* 7
    }
}

extension EventID: CustomStringConvertible {
    /// `0C5E8B8A-9F5E-4C0B-8C58-3E0B7F0A1D21`.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { room in
            guard var cursor = ByteCursor(room: room) else { return 0 }
            append(to: &cursor)
            return cursor.count
        }
    }
}
