import TurnoutReports

/// Builds a help text: headings, paragraphs, and entries in two aligned columns.
struct HelpText {
    private(set) var text = ""
    private let width: Int
    private let hasColor: Bool

    /// Limits the width to 20...100 columns: longer lines are hard to read, and shorter ones cannot be laid out.
    init(width: Int, hasColor: Bool) {
        self.width = min(max(width, 20), 100)
        self.hasColor = hasColor
    }

    /// `Usage: turnout decide --datafile FILE [OPTIONS]`.
    mutating func addUsage(_ usage: String) {
        text += "Usage:".styled(.bold, if: hasColor) + " "
        addLines(usage.lines(ofWidth: width - 7), indent: 7, firstIndent: 0)
    }

    mutating func addHeading(_ title: String) {
        text += "\n" + (title + ":").styled(.bold, if: hasColor) + "\n"
    }

    /// Paragraphs, each after a blank line; lines that start with a space stay as they are.
    mutating func addParagraphs(_ paragraphs: String) {
        guard !paragraphs.isEmpty else { return }
        text += "\n"
        var open: [Substring] = []
        func end() {
            if !open.isEmpty { addLines(open.joined(separator: " ").lines(ofWidth: width), indent: 0) }
            open = []
        }
        for line in paragraphs.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.isEmpty || line.first == " " else {
                open.append(line)
                continue
            }
            end()
            text += line + "\n"
        }
        end()
    }

    /// Labels on the left, explanations on the right, or below if there is no room.
    mutating func addEntries(_ entries: [(label: String, help: String)]) {
        let longest = entries.map(\.label.displayWidth).filter { $0 <= 30 }.max() ?? 0
        let column = longest + 4
        let isNarrow = width - column < 30
        for (label, help) in entries {
            let hasRoom = !isNarrow && label.displayWidth <= longest
            let indent = isNarrow ? 10 : column
            text += "  " + label
            text += hasRoom ? String(repeating: " ", count: column - 2 - label.displayWidth) : "\n"
            addLines(help.lines(ofWidth: width - indent), indent: indent, firstIndent: hasRoom ? 0 : indent)
        }
    }

    mutating func addExample(_ example: CommandSyntax.Entry) {
        addLines(example.text.continued(to: width - 2), indent: 6, firstIndent: 2)
        addLines(example.meaning.lines(ofWidth: width - 6), indent: 6)
    }

    private mutating func addLines(_ lines: [String], indent: Int, firstIndent: Int? = nil) {
        for (number, line) in lines.enumerated() {
            text += String(repeating: " ", count: number == 0 ? firstIndent ?? indent : indent) + line + "\n"
        }
    }
}

extension String {
    /// A command line in lines that a shell reads as one, of at most `width` columns. All but the first are indented by
    /// four more.
    fileprivate func continued(to width: Int) -> [String] {
        guard displayWidth > width else { return [self] }
        var (lines, quote) = ([""], Character?.none)
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let limit = width - (lines.count == 1 ? 2 : 6)
            let line = lines[lines.count - 1]
            // A line break inside quotes would be a part of the argument.
            if quote == nil, !line.isEmpty, line.displayWidth + 1 + String(word).displayWidth > limit {
                lines[lines.count - 1] = line + " \\"
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = line.isEmpty && lines.count == 1 ? String(word) : line + " " + word
            }
            for character in word where "'\"".contains(character) {
                if quote == nil { quote = character } else if quote == character { quote = nil }
            }
        }
        return lines
    }
}
