/// Predicts the next member of an object from what followed the same member in the last object of its kind.
///
/// A datafile writes all entities of a kind in the same form, so nearly every prediction is right: from the end of a
/// value to the start of the next, such as in `,"key":`, the bytes are the same again. Comparing them is several times
/// faster than reading a name and looking it up, and a wrong prediction costs only the comparison.
struct MemberPredictor: Sendable {
    /// The member that came next, by kind of entity and previous member.
    private var followers = [Follower](repeating: Follower(), count: EntityMembers.kindCount * Self.stride)

    private struct Follower {
        /// The bytes from the end of the previous value, or the start of the object, to the colon.
        var bytes = BytePattern.none
        var field = DatafileField.version
    }

    /// One slot for each field, one for members that are skipped, and one for the start of an object.
    private static let stride = DatafileField.caseCount + 2

    /// The slot for the first member of an object.
    @inline(__always)
    func start(_ members: EntityMembers) -> Int { members.kind * Self.stride }

    /// The slot for what follows a member without a field.
    func placeAfterSkipped(_ members: EntityMembers) -> Int { start(members) + 1 }

    /// The slot for what follows a field.
    @inline(__always)
    func place(_ members: EntityMembers, after field: DatafileField) -> Int { start(members) + 2 + Int(field.number) }

    /// The next field, if it is the expected one; the reader is then positioned at its value.
    @inline(__always)
    func read(at place: Int, _ reader: inout JSONReader) -> DatafileField? {
        reader.skip(followers[place].bytes) ? followers[place].field : nil
    }

    /// Stores what the reader found: the bytes since `start`, and the field that they name.
    mutating func learn(
        _ field: DatafileField, at place: Int, from start: UnsafePointer<UInt8>, _ reader: borrowing JSONReader
    ) {
        let bytes = UnsafeBufferPointer(start: start, count: reader.cursor - start)
        followers[place] = Follower(bytes: BytePattern(bytes), field: field)
    }
}

/// Up to 48 bytes, as words that can be compared with others.
struct BytePattern: Sendable {
    // The bytes 0 to 39 in words of eight, and the last eight. Unused ones are zero.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0
    private var fifth: UInt64 = 0
    private var last: UInt64 = 0
    /// Selects the used bytes of ``first``.
    private var mask = UInt64.max
    fileprivate private(set) var count = Int32.max

    /// A pattern that no bytes match.
    static let none = BytePattern()

    private init() {}

    /// The pattern of some bytes; ``none`` if they are more than 48.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress, (1...48).contains(bytes.count) else { return }
        count = Int32(bytes.count)
        guard count >= 8 else {
            first = UnsafeRawPointer(base).shortWord(count: bytes.count)
            mask = 1 << UInt64(8 * count) - 1
            return
        }
        first = base.word(at: 0)
        if count > 16 { second = base.word(at: 8) }
        if count > 24 { third = base.word(at: 16) }
        if count > 32 { fourth = base.word(at: 24) }
        if count > 40 { fifth = base.word(at: 32) }
        last = base.word(at: bytes.count - 8)
    }

    /// Whether the bytes are at `place`, where at least ``count`` and eight bytes must be readable.
    @inline(__always)
    fileprivate func matches(_ place: UnsafePointer<UInt8>) -> Bool {
        guard place.word(at: 0) & mask == first else { return false }
        guard count > 8 else { return true }
        return place.word(at: Int(count) - 8) == last && (count <= 16 || place.word(at: 8) == second)
            && (count <= 24 || place.word(at: 16) == third) && (count <= 32 || place.word(at: 24) == fourth)
            && (count <= 40 || place.word(at: 32) == fifth)
    }
}

extension UnsafePointer<UInt8> {
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(self).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension JSONReader {
    /// Skips the bytes of a pattern if they come next; otherwise does nothing.
    @inline(__always)
    fileprivate mutating func skip(_ pattern: BytePattern) -> Bool {
        guard end - cursor >= max(Int(pattern.count), 8), pattern.matches(cursor) else { return false }
        cursor += Int(pattern.count)
        return true
    }
}
