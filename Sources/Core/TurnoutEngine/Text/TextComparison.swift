// Compares strings as Swift does, by canonical equivalence, but in linear time. Swift's own `==`, `<` and hash values
// take quadratic time for long runs of combining marks: a few kilobytes in an attribute would block a server.

extension String {
    /// Whether both strings are canonically equivalent, and so equal in Swift.
    @inline(__always)
    func isEquivalent(to other: String) -> Bool {
        // Swift compares short strings fast, and they have no long runs.
        if utf8.count | other.utf8.count < 64 { return self == other }
        return isEquivalentLongText(to: other)
    }

    @inline(never)
    private func isEquivalentLongText(to other: String) -> Bool {
        withBytes { bytes in other.withBytes { bytes.isEquivalent(to: $0) } }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether both are canonically equivalent. The bytes must be valid UTF-8.
    @inline(__always)
    func isEquivalent(to other: UnsafeBufferPointer<UInt8>) -> Bool {
        let offset = firstDifference(from: other)
        guard offset < count, offset < other.count else { return count == other.count }
        // Everything before is equal, and no ASCII character combines with a preceding one.
        guard self[offset] | other[offset] >= 0x80 else { return false }
        return isEquivalent(to: other, from: offset)
    }

    /// The offset of the first byte that differs, or the byte count of the shorter string.
    @inline(__always)
    private func firstDifference(from other: UnsafeBufferPointer<UInt8>) -> Int {
        guard let base = baseAddress, let otherBase = other.baseAddress else { return 0 }
        let (left, right) = (UnsafeRawPointer(base), UnsafeRawPointer(otherBase))
        let end = Swift.min(count, other.count)
        var offset = 0
        while offset + 8 <= end {
            let different =
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard different == 0 else { return offset + UInt64(littleEndian: different).trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < end, self[offset] == other[offset] { offset += 1 }
        return offset
    }

    /// Whether both are equivalent, given the offset of the first byte that differs.
    @inline(never)
    private func isEquivalent(to other: UnsafeBufferPointer<UInt8>, from offset: Int) -> Bool {
        // In UTF-8, a decomposed string is at most three times as long, and at least a third.
        guard count <= 9 * other.count, other.count <= 9 * count else { return false }
        let start = commonStart(with: other, at: offset)
        var left = CanonicalScalars(self, from: start)
        var right = CanonicalScalars(other, from: start)
        while true {
            let scalar = left.next()
            guard scalar == right.next() else { return false }
            if scalar == nil { return true }
        }
    }

    /// The last offset up to `offset` from which both can be decomposed independently of what precedes it. All bytes
    /// before `offset` are equal.
    private func commonStart(with other: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
        var start = offset
        while start > 0, start < count, self[start] & 0xC0 == 0x80 { start -= 1 }
        guard !startsCharacter(at: start) || !other.startsCharacter(at: start) else { return start }
        while start > 0 {
            start = scalarStart(before: start)
            if startsCharacter(at: start) { return start }
        }
        return 0
    }

    /// Whether the scalar at an offset is neither a combining mark nor decomposes into one.
    private func startsCharacter(at offset: Int) -> Bool {
        guard offset < count else { return true }
        let scalar = scalar(at: offset)
        guard scalar >= 0x300 else { return true }
        let entry = CanonicalTables.shared.entry(scalar)
        guard entry.decomposition >= 0 else { return entry.combiningClass == 0 }
        return CanonicalTables.shared.entry(CanonicalTables.shared.heads[entry.decomposition]).combiningClass == 0
    }
}

// MARK: Order

extension UnsafeBufferPointer<UInt8> {
    /// The order of two strings as in Swift: negative if this one is lower, 0 if they are equivalent.
    ///
    /// With long runs of combining marks the order is that of the decomposed scalars, which may differ from Swift's.
    func order(relativeTo other: UnsafeBufferPointer<UInt8>) -> Int {
        let offset = firstDifference(from: other)
        if isPlain(around: offset), other.isPlain(around: offset) {
            return (offset < count ? Int(self[offset]) : -1) - (offset < other.count ? Int(other[offset]) : -1)
        }
        guard !isEquivalent(to: other) else { return 0 }
        guard hasLongRun || other.hasLongRun else {
            let (left, right) = (String(decoding: self, as: UTF8.self), String(decoding: other, as: UTF8.self))
            // In Swift, some unequal strings are neither lower nor higher than each other: U+0308 and U+0344.
            return left < right ? -1 : left > right ? 1 : 0
        }
        var left = CanonicalScalars(self)
        var right = CanonicalScalars(other)
        while let scalar = left.next() {
            guard let otherScalar = right.next() else { return 1 }
            if scalar != otherScalar { return scalar < otherScalar ? -1 : 1 }
        }
        return -1
    }

    /// Whether the string ends at an offset, or has an ASCII character there that nothing after it modifies.
    private func isPlain(around offset: Int) -> Bool {
        offset >= count || self[offset] < 0x80 && (offset + 1 >= count || self[offset + 1] < 0x80)
    }

    /// Whether there is a run of combining marks so long that Swift orders it slowly. Unicode's Stream-Safe Text Format
    /// allows 30 at most.
    var hasLongRun: Bool {
        guard !isASCII else { return false }
        let tables = CanonicalTables.shared
        var marks = 0
        var offset = 0
        while offset < count {
            guard self[offset] >= 0xCC else {
                marks = 0
                offset += 1
                continue
            }
            let scalar = scalar(at: offset)
            let entry = tables.entry(scalar)
            marks = entry.combiningClass != 0 || entry.decomposition >= 0 && entry.isMark ? marks + 1 : 0
            if marks > 30 { return true }
            offset += self[offset] < 0xE0 ? 2 : self[offset] < 0xF0 ? 3 : 4
        }
        return false
    }
}

extension String {
    /// Whether Swift takes long to compare or hash the string; see ``UnsafeBufferPointer/hasLongRun``.
    @inline(__always)
    var hasLongRun: Bool { utf8.count > 64 && withBytes { $0.hasLongRun } }

    /// Whether the string sorts before another; see ``UnsafeBufferPointer/order(relativeTo:)``.
    func precedes(_ other: String) -> Bool {
        withBytes { bytes in other.withBytes { bytes.order(relativeTo: $0) < 0 } }
    }
}

extension Set<String> {
    /// Whether the set contains a string; takes linear time if the string has a long run of combining marks.
    @inline(__always)
    func hasElement(_ text: String) -> Bool {
        text.hasLongRun ? contains { $0.isEquivalent(to: text) } : contains(text)
    }
}
