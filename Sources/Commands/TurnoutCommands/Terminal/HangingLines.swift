extension String {
    /// The text in lines of at most `width` columns. Lines after the first one begin with a margin. Only a single
    /// longer word makes a longer line. Nil keeps the text in one line, as for files and pipes.
    package func lines(ofWidth width: Int?, margin: String) -> [String] {
        guard let width, displayWidth > width else { return [self] }
        // Spaces at the beginning are the indentation of the text.
        let indentation = String(prefix { $0 == " " })
        var lines: [String] = []
        var (line, used) = (indentation, indentation.count)
        var isEmpty = true
        for word in dropFirst(indentation.count).split(separator: " ", omittingEmptySubsequences: false) {
            let needed = word.displayWidth
            if !isEmpty, used + 1 + needed > width {
                lines.append(line)
                (line, used, isEmpty) = (margin, margin.displayWidth, true)
            }
            line += (isEmpty ? "" : " ") + word
            used += (isEmpty ? 0 : 1) + needed
            isEmpty = false
        }
        return lines + [line]
    }

    /// ``lines(ofWidth:margin:)`` as one text, each line in a style.
    func hanging(_ margin: String, width: Int?, _ style: TextStyle? = nil, hasColor: Bool) -> String {
        lines(ofWidth: width, margin: margin).map { $0.styled(style, if: hasColor) }.joined(separator: "\n")
    }
}

extension Terminal {
    /// The width in which sentences are wrapped; nil for files and pipes, where each is a line.
    var lineWidth: Int? { isTerminal ? width : nil }
}
