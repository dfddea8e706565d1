extension UnsafeBufferPointer<UInt8> {
    /// Whether a match may end at an offset: not before a mark that belongs to its last letter, and after a scalar that
    /// joins letters only if Swift also sees a character boundary there.
    @inline(__always)
    func canEndMatch(at offset: Int, _ tables: CanonicalTables) -> Bool {
        guard offset < count else { return true }
        let next = scalar(at: offset)
        guard !tables.entry(next).isGraphemeExtend, !(0x1F3FB...0x1F3FF).contains(next) else { return false }
        let start = scalarStart(before: offset)
        let last = scalar(at: start)
        // Joiners, Hangul letters and viramas.
        let joinsLetters =
            last == 0x34F || last == 0x200D || (0x1100...0x11FF).contains(last)
            || tables.entry(last).combiningClass == 9
        return !joinsLetters || !isJoined(last, at: start, to: next, tables)
    }

    // MARK: Grapheme clusters (Unicode Standard Annex #29)

    /// Whether a scalar that joins letters and the next one, which extends nothing, are in the same character.
    ///
    /// Swift's own boundary check takes time proportional to the length of the character at each position. This one
    /// scans back over scalars that extend a character. Only one position follows each such run, so all checks together
    /// take linear time.
    private func isJoined(_ last: UInt32, at start: Int, to next: UInt32, _ tables: CanonicalTables) -> Bool {
        let entry = tables.entry(next)
        if entry.isSpacingMark || next == 0x200D { return true }
        if let letter = HangulLetter(last), let other = HangulLetter(next) { return letter.joins(other) }
        guard entry.isPictograph || entry.isConsonant else { return false }
        guard let base = base(of: start, tables) else { return false }
        if entry.isConsonant, base.entry.isConsonant, base.isLinked { return true }
        return entry.isPictograph && base.entry.isPictograph && last == 0x200D && base.joinerCount == 1
    }

    /// The scalar that extending scalars belong to.
    private struct Base {
        var entry: CanonicalTables.Entry
        /// Whether it is linked to a consonant that follows.
        var isLinked = false
        var joinerCount = 0
    }

    /// Scans back from a scalar to the first one that extends nothing; nil if there is none.
    private func base(of start: Int, _ tables: CanonicalTables) -> Base? {
        var start = start
        var (hasLinker, endsLinking, joinerCount) = (false, false, 0)
        while true {
            let scalar = scalar(at: start)
            let entry = tables.entry(scalar)
            guard entry.isGraphemeExtend || scalar == 0x200D || (0x1F3FB...0x1F3FF).contains(scalar) else {
                return Base(entry: entry, isLinked: hasLinker && !endsLinking, joinerCount: joinerCount)
            }
            if entry.isLinker { hasLinker = true }
            if entry.endsLinking { endsLinking = true }
            if scalar == 0x200D { joinerCount += 1 }
            guard start > 0 else { return nil }
            start = scalarStart(before: start)
        }
    }
}

/// The role of a scalar in a Hangul syllable.
private enum HangulLetter {
    case leading, vowel, trailing
    /// A syllable with or without trailing consonant.
    case closed, open

    init?(_ scalar: UInt32) {
        switch scalar {
        case 0x1100...0x115F, 0xA960...0xA97C: self = .leading
        case 0x1160...0x11A7, 0xD7B0...0xD7C6: self = .vowel
        case 0x11A8...0x11FF, 0xD7CB...0xD7FB: self = .trailing
        case 0xAC00...0xD7A3: self = (scalar - 0xAC00) % 28 == 0 ? .open : .closed
        default: return nil
        }
    }

    /// Whether this one and the next are in the same syllable.
    func joins(_ next: HangulLetter) -> Bool {
        switch (self, next) {
        case (.leading, .leading), (.leading, .vowel), (.leading, .open), (.leading, .closed): true
        case (.open, .vowel), (.vowel, .vowel), (.open, .trailing), (.vowel, .trailing): true
        case (.closed, .trailing), (.trailing, .trailing): true
        default: false
        }
    }
}
