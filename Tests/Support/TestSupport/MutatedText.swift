extension [UInt8] {
    /// The text with some bytes or lines removed, repeated, replaced or moved.
    package func mutated(_ random: inout SplitMix) -> [UInt8] {
        var bytes = self
        for _ in 0...Int.random(in: 0...2, using: &random) where !bytes.isEmpty { bytes.mutate(&random) }
        return bytes
    }

    private mutating func mutate(_ random: inout SplitMix) {
        let offset = Int.random(in: indices, using: &random)
        let end = Swift.min(count, offset + Int.random(in: 0...20, using: &random))
        switch Int.random(in: 0...8, using: &random) {
        case 0: self[offset] = UInt8.random(in: 0...255, using: &random)
        case 1: self[offset] = "\"'{}[]:,-#&*|>%~0129 \n\t".utf8.randomElement(using: &random) ?? 0
        case 2: removeSubrange(offset..<end)
        case 3: insert(contentsOf: self[offset..<end], at: Int.random(in: indices, using: &random))
        case 4: removeSubrange(line(at: offset))
        case 5:
            let line = Array(self[line(at: offset)])
            insert(contentsOf: line, at: self.line(at: Int.random(in: indices, using: &random)).lowerBound)
        case 6:
            let (line, other) = (line(at: offset), self.line(at: Int.random(in: indices, using: &random)))
            replaceSubrange(line, with: Array(self[other]))
        case 7: insert(contentsOf: Array(repeating: self[offset], count: 1_000), at: offset)
        default:
            let words = ["null", "1e999", "-1", "9223372036854775808", "\u{0}", "é", "''", "{}", "[]", "<<: *a", "!t"]
            insert(contentsOf: (words.randomElement(using: &random) ?? "").utf8, at: offset)
        }
    }

    /// The line of an offset, with its line break.
    private func line(at offset: Int) -> Range<Int> {
        let start = self[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return start..<(self[offset...].firstIndex(of: 0x0A).map { $0 + 1 } ?? count)
    }
}
