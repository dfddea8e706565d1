/// What makes an event the one it is: when it happened, and a number nobody else has.
///
/// Both are fixed when the event is made and never change on retries, so that a receiver can drop repeats.
public struct EventStamp: Sendable, Equatable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public let timestamp: Int64
    /// A random UUID.
    public let uuid: EventID

    /// Creates a stamp. The engine has neither clock nor chance: both come from the caller.
    public init(timestamp: Int64, uuid: EventID) {
        self.timestamp = timestamp
        self.uuid = uuid
    }
}

/// A random UUID (RFC 9562, version 4), written in upper case as the vendor does.
public struct EventID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Makes a UUID of 122 random bits.
    public init(using random: inout some RandomNumberGenerator) {
        self.init(random.next(), random.next())
    }

    /// Makes a UUID of given bits; version and variant are set, whatever the bits say.
    public init(_ high: UInt64, _ low: UInt64) {
        self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    static let textLength = 36

    /// Calls a function with each of the ``textLength`` characters.
    @inline(__always)
    func forEachCharacter(_ body: (UInt8) -> Void) {
        Self.forEachDigit(of: high, dashesAfter: (8, 12), body)
        body(UInt8(ascii: "-"))
        Self.forEachDigit(of: low, dashesAfter: (4, 16), body)
    }

    @inline(__always)
    private static func forEachDigit(of word: UInt64, dashesAfter dashes: (Int, Int), _ body: (UInt8) -> Void) {
        var rest = word
        for digit in 0..<16 {
            if digit == dashes.0 || digit == dashes.1 { body(UInt8(ascii: "-")) }
            rest = rest << 4 | rest >> 60
            let nibble = UInt8(truncatingIfNeeded: rest) & 0xF
            body(nibble + (nibble < 10 ? 0x30 : 0x37))
        }
    }
}

extension EventID: CustomStringConvertible {
    /// `0C5E8B8A-9F5E-4C0B-8C58-3E0B7F0A1D21`.
    public var description: String {
        var text: [UInt8] = []
        forEachCharacter { text.append($0) }
        return String(decoding: text, as: UTF8.self)
    }
}
