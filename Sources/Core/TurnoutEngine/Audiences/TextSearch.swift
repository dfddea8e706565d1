/// The search of the `substring` match: where a reader would say that one text is part of another.
///
/// Case matters, canonically equivalent spellings match, a letter is not part of an accented one, and the empty text is
/// part of nothing. This is what Foundation's search does, which the vendor's client uses; Swift's own `contains`
/// differs. Foundation is not at hand here, so the tests hold the two against each other.
enum TextSearch {
    static func contains(_ text: String, _ part: String) -> Bool {
        guard !part.isEmpty else { return false }
        let isASCII = text.withBytes { bytes in bytes.allSatisfy { $0 < 0x80 } }
        guard isASCII else { return containsScalars(text, part) || containsSegments(text, part) }
        if let twin = part.asciiTwin { return contains(text, twin) }
        return text.withBytes { bytes in part.withBytes { bytes.contains($0) } }
    }

    /// Looks for the part scalar by scalar, as it is spelled. A match may start anywhere.
    private static func containsScalars(_ text: String, _ part: String) -> Bool {
        let (scalars, wanted) = (text.unicodeScalars, part.unicodeScalars)
        for start in scalars.indices where scalars[start] == wanted.first {
            var place = start
            let matches = wanted.allSatisfy { scalar in
                guard place < scalars.endIndex, scalars[place] == scalar else { return false }
                place = scalars.index(after: place)
                return true
            }
            if matches, isEnd(place, of: text) { return true }
        }
        return false
    }

    /// Looks for the part in another spelling, segment by segment.
    ///
    /// Two texts are equivalent if their segments are, one by one, because a segment starts where no composition with
    /// the character before is possible.
    private static func containsSegments(_ text: String, _ part: String) -> Bool {
        let (segments, wanted) = (segments(of: text), segments(of: part))
        guard wanted.count <= segments.count else { return false }
        return (0...(segments.count - wanted.count)).contains { start in
            wanted.indices.allSatisfy { segments[start + $0] == wanted[$0] }
                && isEnd(segments[start + wanted.count - 1].endIndex, of: text)
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

    /// Whether a match may end here: not before a mark that belongs to its last letter, and after a scalar that joins
    /// letters only where Swift too sees the end of a character.
    private static func isEnd(_ place: String.Index, of text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard place < scalars.endIndex else { return true }
        let next = scalars[place].properties
        guard !next.isGraphemeExtend, !next.isEmojiModifier else { return false }
        return !scalars[scalars.index(before: place)].joinsLetters || place.samePosition(in: text) != nil
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

    /// Whether the scalar can make one character of the letters around it: joiners, Hangul letters and viramas.
    fileprivate var joinsLetters: Bool {
        value == 0x34F || value == 0x200D || (0x1100...0x11FF).contains(value)
            || properties.canonicalCombiningClass == .virama
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
