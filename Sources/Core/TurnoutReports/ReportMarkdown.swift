extension Report {
    /// Room for the lines that say what is left out.
    private static let reserve = 2_000
    /// The rows of a table or a list, and fewer if there is no room for them.
    private static let rowLimits = [50, 10, 2]

    /// The report as a comment of fewer than `limit` characters. Sections that do not fit are left out, and the text
    /// says which.
    ///
    /// - Parameters:
    ///   - limit: The limit in characters; counting Unicode scalars is on the safe side.
    ///   - command: The command that prints the whole report.
    /// - Returns: The text.
    package func markdown(limit: Int, command: String) -> String {
        var (text, length, leftOut) = ("", 0, [Section]())
        for section in sections {
            let texts = Self.rowLimits.lazy.map { section.markdown(isList: isList, rowLimit: $0) }
            guard let fitting = texts.first(where: { length + $0.unicodeScalars.count < limit - Self.reserve }) else {
                leftOut.append(section)
                continue
            }
            text += (text.isEmpty || isList ? "" : "\n") + fitting
            length += fitting.unicodeScalars.count + 1
        }
        guard !leftOut.isEmpty else { return text }
        return text + "\nA comment has no room for \(Self.words(leftOut)). `\(command)` in a terminal prints all.\n"
    }

    private static func words(_ sections: [Section]) -> String {
        var words: [String] = []
        for section in sections where !words.contains(section.omission.words) { words.append(section.omission.words) }
        return words.map { words in
            let group = sections.map(\.omission).filter { $0.words == words }
            let count = group.reduce(0) { $0 + $1.count }
            return words.replacing("#", with: count.grouped)
                + shortList(group.compactMap { $0.name?.markdown(limit: 100) }, limit: 5)
        }.joined(separator: "; ")
    }

    /// `a, b and 12 more`
    fileprivate static func shortList(_ texts: [String], limit: Int) -> String {
        let more = texts.count - limit
        return texts.prefix(limit).joined(separator: ", ") + (more > 0 ? " and \(more.grouped) more" : "")
    }

    /// The note on what is left out of a section.
    fileprivate static func more(_ count: Int, _ what: String) -> String {
        count > 0 ? "\n\(count.grouped) more \(what) are left out here.\n" : ""
    }
}

extension Report.Section {
    fileprivate func markdown(isList: Bool, rowLimit: Int) -> String {
        guard !isList else {
            let lines = blocks.prefix(rowLimit).map { $0.markdown(isList: true, rowLimit: rowLimit) }
            return (title.map { "- \($0.markdown)\n" } ?? "") + lines.joined()
                + (blocks.count > rowLimit ? "  - \((blocks.count - rowLimit).grouped) more\n" : "")
        }
        let heading = title.map { title in
            let mark = title.texts.contains { $0.style == .red } ? "⚠️ " : ""
            let words = title.heading.texts.map { $0.isCode ? $0.markdown() : $0.text.truncated(to: 500).markdown }
                .joined()
            return "### \(mark)\(words)\n"
        }
        return ([heading].compactMap(\.self) + blocks.map { $0.markdown(isList: false, rowLimit: rowLimit) })
            .joined(separator: "\n")
    }
}

extension Report.Block {
    fileprivate func markdown(isList: Bool, rowLimit: Int) -> String {
        switch self {
        case .line(let line):
            isList ? String(repeating: "  ", count: line.depth) + "- \(line.markdown)\n" : line.markdown + "\n"
        case .list(let title, let texts):
            "\(title): \(Report.shortList(texts.map { $0.markdown() }, limit: rowLimit)).\n"
        case .table(let table): heading(table.caption) + table.markdown(rowLimit)
        case .matrix(let matrix): matrix.markdown(rowLimit)
        case .tree(let lines, _): "```text\n\(lines.joined(separator: "\n").replacing("```", with: "'''"))\n```\n"
        case .drawing(let plot): heading(plot.title) + plot.table(limit: rowLimit).markdown(rowLimit)
        }
    }

    private func heading(_ title: String) -> String {
        title.isEmpty ? "" : Report.Text(title, .bold).markdown() + "\n\n"
    }
}

extension Report.Line {
    fileprivate var markdown: String { texts.map { $0.markdown(limit: 500) }.joined() }
}

extension Report.Text {
    /// The text, neither formatted by what it contains nor ending a cell.
    fileprivate func markdown(limit: Int = 200) -> String {
        let code = text.truncated(to: min(limit, 100))
        // A bar would end a cell even in code.
        if isCode, !code.isEmpty, !code.contains("`"), !code.contains("|") { return "`\(code)`" }
        let words = text.truncated(to: limit).markdown + (detail.isEmpty ? "" : " \(detail.markdown)")
        return style == .bold && !isCode && !text.isEmpty ? "**\(words)**" : words
    }
}

extension ReportTable {
    fileprivate func markdown(_ rowLimit: Int) -> String {
        let lines = rows.prefix(rowLimit).map { row in
            Self.line(columns.indices.map { $0 < row.count ? row[$0].markdown() : "" })
        }
        return Self.header(columns.map(\.title)) + lines.joined() + Report.more(rows.count - lines.count, "changes")
    }

    fileprivate static func header(_ titles: [String]) -> String {
        line(titles.map(\.markdown)) + line(titles.map { _ in "---" })
    }

    fileprivate static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
}

extension ReportMatrix {
    /// The most columns of a matrix.
    private static let columnLimit = 12

    fileprivate func markdown(_ rowLimit: Int) -> String {
        let titles = columns.prefix(Self.columnLimit).map { $0.truncated(to: 200) }
        let lines = zip(rows, cells).prefix(rowLimit).map { row, cells in
            ReportTable.line([row.truncated(to: 200).markdown] + cells.prefix(titles.count).map { $0.markdown() })
        }
        return ReportTable.header([corner] + titles) + lines.joined()
            + Report.more(columns.count - titles.count, names.columns)
            + Report.more(rows.count - lines.count, names.rows)
    }
}

extension String {
    /// The text without characters that Markdown, or a code host in it, gives a meaning.
    fileprivate var markdown: String {
        printable.reduce(into: "") { text, character in
            if "\\`*_[]<>|#@~&{}".contains(character) { text.append("\\") }
            text.append(character)
            // GitHub looks for mentions when the backslash is gone. An invisible word joiner ends them, so that a
            // comment notifies no one.
            if character == "@" { text.append("\u{2060}") }
        }
    }
}
