/// Predicts the next member of an object from what followed the same member in the last object of its kind.
///
/// A datafile writes all entities of a kind in the same form, so nearly every prediction is right, and comparing it
/// with the bytes is several times faster than reading a name and looking it up. A wrong prediction costs only the
/// comparison.
struct MemberGuess: Sendable {
    /// The fields that came next, by kind of entity and previous field; -1 if none yet.
    private var followers = [Int8](repeating: -1, count: EntityMembers.kindCount * Self.stride)
    private let patterns = DatafileField.names.map(KeyPattern.init)

    /// One slot for each field, and one for the start of an object.
    private static let stride = DatafileField.allCases.count + 1

    /// The slot for what follows a field, or for the first member.
    @inline(__always)
    func place(_ members: EntityMembers, after field: DatafileField?) -> Int {
        members.kind * Self.stride + (field.map { Int($0.number) + 1 } ?? 0)
    }

    /// The next field, if it is the expected one; the reader is then positioned at its value.
    @inline(__always)
    func read(at place: Int, _ reader: inout JSONReader, isFirst: inout Bool) -> DatafileField? {
        let guess = Int(followers[place])
        guard guess >= 0, reader.skipKey(patterns[guess], isFirst: &isFirst) else { return nil }
        return DatafileField(number: UInt8(guess))
    }

    @inline(__always)
    mutating func remember(_ field: DatafileField, at place: Int) { followers[place] = Int8(field.number) }
}

/// A key with its quotes and colon, as words that can be compared with bytes. Keys are at most 24 bytes long.
struct KeyPattern: Sendable {
    private let first: UInt64
    private let middle: UInt64
    private let last: UInt64
    private let mask: UInt64
    let count: Int

    init(_ name: String) {
        let bytes = Array("\"\(name)\":".utf8)
        func word(at offset: Int) -> UInt64 {
            bytes.dropFirst(offset).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        count = bytes.count
        first = word(at: 0)
        middle = word(at: 8)
        last = word(at: max(count - 8, 0))
        mask = count < 8 ? 1 << UInt64(8 * count) - 1 : .max
    }

    /// Whether the key is at `place`, where at least `count` + 8 bytes must be readable.
    @inline(__always)
    func matches(_ place: UnsafePointer<UInt8>) -> Bool {
        let bytes = UnsafeRawPointer(place)
        func word(at offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard word(at: 0) & mask == first else { return false }
        guard count > 8 else { return true }
        return word(at: count - 8) == last && (count <= 16 || word(at: 8) == middle)
    }
}

extension JSONReader {
    /// Skips the next key if it is the expected one, with its comma and colon; otherwise does nothing.
    @inline(__always)
    mutating func skipKey(_ pattern: KeyPattern, isFirst: inout Bool) -> Bool {
        var place = cursor
        if !isFirst {
            guard place < end, place.pointee == UInt8(ascii: ",") else { return false }
            place += 1
        }
        while place < end, place.pointee == 0x20 || place.pointee == 0x0A { place += 1 }
        guard end - place >= max(pattern.count, 8), pattern.matches(place) else { return false }
        isFirst = false
        cursor = place + pattern.count
        return true
    }
}
