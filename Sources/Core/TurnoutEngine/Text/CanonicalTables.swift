/// The Unicode data for comparing strings: canonical combining classes and decompositions.
///
/// The standard library has these data, but takes tens of nanoseconds per property and does not expose decompositions.
/// Built on first use, in less than a millisecond; ASCII strings never need it.
final class CanonicalTables: Sendable {
    static let shared = CanonicalTables()

    /// For each 256 scalars the position of their entries, which follow. All scalars without properties share one empty
    /// page.
    private let table: [UInt32]
    /// The first scalars of decompositions, and up to three more: 21 bits each, the next one lowest.
    let heads: [UInt32]
    let rests: [UInt64]

    private init() {
        var source = Source()
        CanonicalData.properties.withUTF8Buffer { source.readProperties(Digits($0)) }
        CanonicalData.decompositions.withUTF8Buffer { source.readDecompositions(Digits($0)) }
        (table, heads, rests) = (source.table, source.heads, source.rests)
    }

    /// The properties of a scalar. Hangul syllables have none here, because their decompositions are computed.
    @inline(__always)
    func entry(_ scalar: UInt32) -> Entry {
        Entry(bits: table[Int(table[Int(scalar >> 8)] | scalar & 0xFF)])
    }

    /// The properties of one scalar.
    struct Entry {
        fileprivate(set) var bits: UInt32

        /// The canonical combining class; 0 for scalars that are not reordered.
        @inline(__always)
        var combiningClass: UInt32 { bits & 0xFF }
        /// Whether the general category is a mark (Mn, Mc or Me).
        @inline(__always)
        var isMark: Bool { bits & 0x100 != 0 }
        /// Whether the scalar has the property `Grapheme_Extend`.
        @inline(__always)
        var isGraphemeExtend: Bool { bits & 0x200 != 0 }
        /// Whether the scalar continues any character before it, without `Grapheme_Extend`.
        var isSpacingMark: Bool { bits & 0x400 != 0 }
        /// Whether a joiner combines this scalar and a preceding pictograph into one character.
        var isPictograph: Bool { bits & 0x800 != 0 }
        /// Whether a linker combines this scalar and a preceding consonant into one character.
        var isConsonant: Bool { bits & 0x1000 != 0 }
        /// Whether the scalar is a virama that links consonants.
        var isLinker: Bool { bits & 0x2000 != 0 }
        /// Whether the scalar extends a character, but stops a preceding linker from linking.
        var endsLinking: Bool { bits & 0x4000 != 0 }
        /// The number of the decomposition, or -1 if there is none.
        @inline(__always)
        var decomposition: Int { Int(bits >> 15) - 1 }
    }

    // MARK: Building

    private struct Source {
        var table = Array(repeating: Self.pageCount, count: Int(Self.pageCount)) + Array(repeating: 0, count: 256)
        var heads: [UInt32] = []
        var rests: [UInt64] = []

        /// The number of pages in Unicode. The empty page is at this position, a multiple of 256.
        private static let pageCount: UInt32 = 0x1100

        private mutating func change(_ scalar: Int, _ bits: UInt32) {
            if table[scalar >> 8] == Self.pageCount {
                table[scalar >> 8] = UInt32(table.count)
                table.append(contentsOf: repeatElement(0, count: 256))
            }
            table[Int(table[scalar >> 8]) | scalar & 0xFF] |= bits
        }

        mutating func readProperties(_ source: Digits) {
            var digits = source
            while !digits.isAtEnd {
                let start = digits.next(4)
                let count = digits.next(2)
                let bits = UInt32(digits.next(3))
                for scalar in start..<start + count { change(scalar, bits) }
            }
        }

        mutating func readDecompositions(_ source: Digits) {
            var digits = source
            while !digits.isAtEnd {
                let scalar = digits.next(4)
                let count = digits.next(1)
                heads.append(UInt32(digits.next(4)))
                var rest: UInt64 = 0
                for place in 0..<count - 1 { rest |= UInt64(digits.next(4)) << UInt64(21 * place) }
                rests.append(rest)
                change(scalar, UInt32(heads.count) << 15)
            }
        }
    }

    /// Reads base-64 numbers; see ``CanonicalData``.
    private struct Digits {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var place = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        var isAtEnd: Bool { place >= bytes.count }

        mutating func next(_ count: Int) -> Int {
            var number = 0
            for _ in 0..<count {
                number = number << 6 | Int(bytes[place] - 0x30)
                place += 1
            }
            return number
        }
    }
}

extension CanonicalTables {
    /// Whether the scalar continues the base character before it: marks, and the later letters of a Hangul syllable.
    @inline(__always)
    func continuesSegment(_ scalar: UInt32) -> Bool {
        guard scalar >= 0x300 else { return false }
        return entry(scalar).isMark || (0x1160...0x11FF).contains(scalar)
    }
}
