/// The scalars of a string in Unicode's canonical decomposition (NFD).
///
/// Two strings are canonically equivalent, and equal in Swift, if these sequences are equal. Unlike the standard
/// library's normalization this one always takes linear time: it sorts long runs of combining marks by counting. The
/// bytes must be valid UTF-8 and begin with a whole scalar.
struct CanonicalScalars {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let tables = CanonicalTables.shared
    private var place: Int
    /// The rest of a scalar's decomposition: 21 bits for each scalar, the next one lowest.
    private var queue: UInt64 = 0
    /// The next scalar, with its combining class in the upper eight bits; ``end`` after the last one.
    private var held: UInt32 = 0
    /// The offset of the scalar that ``held`` comes from, or -1 if it is not the first of a decomposition.
    private var heldOffset = 0
    /// Combining marks, sorted by class; classes in the upper eight bits.
    private var run: [UInt32] = []
    private var runPlace = 0

    private static let end = UInt32.max

    init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0) {
        self.bytes = bytes
        place = offset
        advance()
    }

    /// The next scalar, or nil at the end.
    @inline(__always)
    mutating func next() -> UInt32? {
        if runPlace == run.count {
            let scalar = held
            if scalar < 1 << 24 {
                advance()
                return scalar
            }
            guard scalar != Self.end else { return nil }
            advance()
            // Most marks occur alone.
            guard isMark else { return scalar & 0x1F_FFFF }
            readRun(scalar)
        }
        let mark = run[runPlace]
        runPlace += 1
        return mark & 0x1F_FFFF
    }

    /// The offset in the text if a segment starts here or the text ends; otherwise nil.
    ///
    /// A segment is a character with the scalars that continue it. Segments of equivalent strings are pairwise
    /// equivalent.
    var segmentStart: Int? {
        guard runPlace == run.count else { return nil }
        if held == Self.end { return bytes.count }
        guard held < 1 << 24, heldOffset >= 0, !tables.continuesSegment(held) else { return nil }
        return heldOffset
    }

    // MARK: Decomposing

    @inline(__always)
    private mutating func advance() {
        if queue == 0, place < bytes.count, bytes[place] < 0x80 {
            (held, heldOffset) = (UInt32(bytes[place]), place)
            place += 1
        } else {
            advanceBeyondASCII()
        }
    }

    private mutating func advanceBeyondASCII() {
        if queue != 0 {
            let scalar = UInt32(truncatingIfNeeded: queue & 0x1F_FFFF)
            queue >>= 21
            (held, heldOffset) = (tables.entry(scalar).combiningClass << 24 | scalar, -1)
            return
        }
        guard place < bytes.count else { return held = Self.end }
        heldOffset = place
        let scalar = bytes.scalar(at: place)
        place += scalar.utf8Count
        guard !(0xAC00...0xD7A3).contains(scalar) else { return splitSyllable(scalar) }
        let entry = tables.entry(scalar)
        guard entry.decomposition >= 0 else { return held = entry.combiningClass << 24 | scalar }
        let head = tables.heads[entry.decomposition]
        queue = tables.rests[entry.decomposition]
        held = tables.entry(head).combiningClass << 24 | head
    }

    /// Decomposes a Hangul syllable (The Unicode Standard, 3.12).
    private mutating func splitSyllable(_ scalar: UInt32) {
        let number = scalar - 0xAC00
        held = 0x1100 + number / 588
        queue = UInt64(0x1161 + number % 588 / 28)
        if number % 28 != 0 { queue |= UInt64(0x11A7 + number % 28) << 21 }
    }

    // MARK: Ordering

    /// Whether the next scalar is a combining mark.
    @inline(__always)
    private var isMark: Bool { held >= 1 << 24 && held != Self.end }

    private mutating func readRun(_ first: UInt32) {
        run.removeAll(keepingCapacity: true)
        run.append(first)
        runPlace = 0
        var isSorted = true
        var last = first
        while isMark {
            if last >> 24 > held >> 24 { isSorted = false }
            last = held
            run.append(last)
            advance()
        }
        if !isSorted { run.count <= 32 ? sortByInsertion() : sortByCounting() }
    }

    // Both sorts are stable: marks of the same class keep their order.

    private mutating func sortByInsertion() {
        for index in 1..<run.count {
            let mark = run[index]
            var hole = index
            while hole > 0, run[hole - 1] >> 24 > mark >> 24 {
                run[hole] = run[hole - 1]
                hole -= 1
            }
            run[hole] = mark
        }
    }

    private mutating func sortByCounting() {
        var places = [Int](repeating: 0, count: 256)
        for mark in run { places[Int(mark >> 24)] += 1 }
        var sum = 0
        for index in places.indices { (places[index], sum) = (sum, sum + places[index]) }
        var sorted = run
        for mark in run {
            sorted[places[Int(mark >> 24)]] = mark
            places[Int(mark >> 24)] += 1
        }
        run = sorted
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The scalar at an offset, which must be the start of one in valid UTF-8.
    @inline(__always)
    func scalar(at offset: Int) -> UInt32 {
        let lead = UInt32(self[offset])
        if lead < 0x80 { return lead }
        let second = UInt32(self[offset + 1] & 0x3F)
        if lead < 0xE0 { return (lead & 0x1F) << 6 | second }
        let third = UInt32(self[offset + 2] & 0x3F)
        if lead < 0xF0 { return (lead & 0xF) << 12 | second << 6 | third }
        return (lead & 0x7) << 18 | second << 12 | third << 6 | UInt32(self[offset + 3] & 0x3F)
    }

    /// The offset of the scalar before an offset, which must be above 0.
    @inline(__always)
    func scalarStart(before offset: Int) -> Int {
        var start = offset - 1
        while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    /// Whether all bytes are ASCII.
    var isASCII: Bool {
        guard let base = baseAddress.map({ UnsafeRawPointer($0) }) else { return true }
        var seen: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            seen |= base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            seen |= UInt64(self[offset])
            offset += 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}

extension UInt32 {
    /// The number of bytes of the scalar in UTF-8.
    @inline(__always)
    fileprivate var utf8Count: Int { self < 0x80 ? 1 : self < 0x800 ? 2 : self < 0x1_0000 ? 3 : 4 }
}
