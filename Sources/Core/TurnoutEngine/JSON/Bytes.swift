// Access to the bytes of strings and arrays without copies.

extension [UInt8] {
    /// The bytes of the array. Unlike the standard library's method, this one supports typed throws.
    @inline(__always)
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(buffer) }
    }
}

extension String {
    /// The bytes of the string.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        // A string without contiguous UTF-8 storage, such as one bridged from Objective-C, is copied first.
        var text = self
        return text.withUTF8(body)
    }

    /// Whether the string consists of exactly these bytes; canonically equivalent spellings differ.
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { withBytes { $0.isEqual(to: bytes) } }

    /// Whether both strings consist of the same bytes.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool { other.withBytes { hasBytes($0) } }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether both hold the same bytes. Compares eight at a time, which `elementsEqual` does not.
    @inline(__always)
    func isEqual(to other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count, let base = baseAddress, let otherBase = other.baseAddress, count > 0 else {
            return count == other.count
        }
        let (left, right) = (UnsafeRawPointer(base), UnsafeRawPointer(otherBase))
        guard count >= 8 else { return left.shortWord(count: count) == right.shortWord(count: count) }
        func isWordEqual(at offset: Int) -> Bool {
            left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        var offset = 0
        while offset + 8 < count {
            guard isWordEqual(at: offset) else { return false }
            offset += 8
        }
        return isWordEqual(at: count - 8)
    }
}

extension UnsafeRawPointer {
    /// One to seven bytes as a word, the first lowest, padded with zeros.
    @inline(__always)
    func shortWord(count: Int) -> UInt64 {
        // The pieces may overlap, where they hold the same bytes.
        func piece<Piece: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Piece.Type) -> UInt64 {
            let piece = Piece(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
            return UInt64(truncatingIfNeeded: piece) &<< UInt64(8 * offset)
        }
        if count >= 4 { return piece(at: 0, as: UInt32.self) | piece(at: count - 4, as: UInt32.self) }
        return piece(at: 0, as: UInt8.self) | piece(at: count >> 1, as: UInt8.self)
            | piece(at: count - 1, as: UInt8.self)
    }
}
