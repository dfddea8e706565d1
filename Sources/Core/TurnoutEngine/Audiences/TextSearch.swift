/// The search of the `substring` match: where a reader would say that one text is part of another.
///
/// Canonically equivalent spellings match, case matters, a letter does not match inside an accented one, and the empty
/// text is part of nothing. This is what Foundation's search does on all platforms; Swift's own `contains` differs.
enum TextSearch {
    static func contains(_ text: String, _ part: String) -> Bool {
        guard !part.isEmpty else { return false }
        let isASCII = text.withBytes { bytes in bytes.allSatisfy { $0 < 0x80 } }
        guard isASCII else { return containsBySegments(text, part) }
        if let twin = part.asciiTwin { return contains(text, twin) }
        return text.withBytes { bytes in part.withBytes { bytes.contains($0) } }
    }

    /// Compares segment by segment. Two texts are equivalent if their segments are, one by one, because a segment
    /// starts where no composition with the character before is possible.
    private static func containsBySegments(_ text: String, _ part: String) -> Bool {
        let (segments, wanted) = (segments(of: text), segments(of: part))
        guard wanted.count <= segments.count else { return false }
        return (0...(segments.count - wanted.count)).contains { start in
            wanted.indices.allSatisfy { segments[start + $0] == wanted[$0] }
        }
    }

    private static func segments(of text: String) -> [Substring] {
        var segments: [Substring] = []
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        for index in scalars.indices where index > start && !scalars[index].continuesSegment {
            segments.append(Substring(scalars[start..<index]))
            start = index
        }
        segments.append(Substring(scalars[start...]))
        return segments
    }
}

extension Unicode.Scalar {
    /// Whether the scalar belongs to the base character before it: marks, and the later letters of a Hangul syllable.
    fileprivate var continuesSegment: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return (0x1160...0x11FF).contains(value)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func contains(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = part.first, part.count <= count else { return false }
        for start in 0...(count - part.count) where self[start] == first {
            if (1..<Swift.max(part.count, 1)).allSatisfy({ self[start + $0] == part[$0] }) { return true }
        }
        return false
    }
}
