/// A hash of 64 bits that never changes between versions, because it is stored.
///
/// The hash identifies events and visitors. With ten million of either, two of them share a hash with a probability of
/// about 1 in 100,000; the complete ids are stored beside it.
package struct EventHash: Sendable {
    private var low: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var high: UInt64 = 0xA076_1D64_78BD_642F

    /// Creates the hash of nothing.
    package init() {}

    /// The hash as a row's number: positive, because row numbers of seven bits or less are shorter.
    package var value: Int64 {
        let mixed = (low ^ high >> 32).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB | 1)
        return Int64(bitPattern: (mixed.high ^ mixed.low ^ high) & (1 << 63 - 1))
    }

    @inline(__always)
    package mutating func add(_ word: UInt64) {
        let product = (low ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        (low, high) = (product.low ^ high, product.high ^ (high &+ word))
    }

    /// Adds bytes and their number.
    package mutating func add(_ bytes: UnsafeBufferPointer<UInt8>?) {
        guard let bytes, let base = bytes.baseAddress, !bytes.isEmpty else { return add(UInt64(bytes == nil ? 1 : 2)) }
        let raw = UnsafeRawPointer(base)
        add(UInt64(bytes.count) &+ 3)
        var place = 0
        while place + 8 <= bytes.count {
            add(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        guard place < bytes.count else { return }
        var rest: UInt64 = 0
        while place < bytes.count {
            rest = rest << 8 | UInt64(bytes[place])
            place += 1
        }
        add(rest)
    }
}

extension EventHash {
    /// The number of a visitor of a project, as ``EventRows`` have it. The project is nil if the body names none.
    package static func visitor(_ id: String, of projectID: String?) -> Int64 {
        var hash = EventHash()
        for text in [projectID, id] {
            if let text { Array(text.utf8).withUnsafeBufferPointer { hash.add($0) } } else { hash.add(nil) }
        }
        return hash.value
    }
}

/// The canonical form of an event's id.
package enum EventUUID {
    /// The 128 bits of a UUID in its usual form of 36 characters, regardless of case; nil for any other text.
    package static func bits(_ text: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
            digits += 1
        }
        return (words.0, words.1)
    }
}
