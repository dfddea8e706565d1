/// A 64-bit checksum that detects flipped bits.
///
/// Each step is a bijection of the sum so far, and of the eight bytes it adds. Any damage within eight bytes is
/// therefore detected; damage in several places is missed once in 2^64. A CRC would cost ten times as much, about
/// as much as storing the event.
package struct Checksum {
    private var sum: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Creates the checksum of no data.
    package init() {}

    /// The checksum of the data added so far.
    package var value: Int64 { Int64(bitPattern: sum ^ (sum >> 32)) }

    package mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    private mutating func add(_ word: UInt64) {
        var mixed = (sum ^ word) &* 0xFF51_AFD7_ED55_8CCD
        mixed ^= mixed >> 32
        sum = (mixed << 29 | mixed >> 35) &+ 0xC4CE_B9FE_1A85_EC53
    }

    /// Adds bytes, and how many there are.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(Int64(bytes.count))
        let whole = bytes.count & ~7
        var place = 0
        while place < whole {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        guard place < bytes.count else { return }
        var last: UInt64 = 0
        for byte in bytes[place...] { last = last << 8 | UInt64(byte) }
        add(last)
    }

    /// Adds bytes, and how many there are.
    package mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

    /// Adds a string, or nil.
    package mutating func add(_ text: String?) {
        guard var text else { return add(Int64(-1)) }
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}
