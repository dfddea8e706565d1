extension StringProtocol {
    /// The number of terminal columns that the text takes.
    package var displayWidth: Int {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }
}

extension String {
    /// The text in at most `width` columns, with `…` in place of the rest.
    package func truncated(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var (kept, used) = ("", 0)
        for character in self {
            used += character.displayWidth
            guard used < width else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// The text in lines of at most `width` columns. Lines after the first one begin with a margin. They break at
    /// spaces, so that a longer word makes a longer line, unless words may be broken. Nil keeps the text in one line,
    /// as for files and pipes.
    package func lines(ofWidth width: Int?, margin: String = "", breaksWords: Bool = false) -> [String] {
        guard let width, displayWidth > width else { return [self] }
        // Spaces at the beginning are the indentation of the text.
        let indentation = String(prefix { $0 == " " })
        var lines: [String] = []
        var (line, used, isEmpty) = (indentation, indentation.count, true)
        func end() {
            lines.append(line)
            (line, used, isEmpty) = (margin, margin.displayWidth, true)
        }
        for word in dropFirst(indentation.count).split(separator: " ", omittingEmptySubsequences: false) {
            let needed = word.displayWidth
            if !isEmpty, used + 1 + needed > width { end() }
            line += isEmpty ? "" : " "
            used += isEmpty ? 0 : 1
            for piece in breaksWords && needed > width ? word.map({ String($0) }) : [String(word)] {
                if !isEmpty, breaksWords, used + piece.displayWidth > width { end() }
                line += piece
                used += piece.displayWidth
                isEmpty = false
            }
        }
        return lines + [line]
    }
}

extension Character {
    /// Terminals draw an emoji in two columns, however many scalars it has; other characters have the sum of their
    /// scalars' widths.
    var displayWidth: Int {
        let scalars = unicodeScalars
        if scalars.first?.properties.isEmojiPresentation == true || scalars.contains("\u{FE0F}") { return 2 }
        return scalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        if value < 0x300 { return isControl || value == 0xAD ? 0 : 1 }
        // Hangul vowels and final consonants join the preceding syllable.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
        default: return Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// The blocks whose East Asian width is wide or full. Emoji are detected by their property.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF,
        0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
