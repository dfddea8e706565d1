/// Rows under headers, in columns as wide as their contents.
///
///     var table = ReportTable([.init("Flag"), .init("Users", .right)])
///     table.append([.init("checkout", .bold), "1,240"])
///
/// Cells continue on the next line if there is no room for them. Words stay whole: if there is no room for the longest
/// ones beside each other, the rows become lists of their cells. Only a word that is wider than a line is broken.
package struct ReportTable: Sendable {
    let columns: [Column]
    private(set) var rows: [[Report.Text]] = []
    /// What the table shows; empty if the words before it say so.
    let caption: String

    package init(_ columns: [Column], rows: [[Report.Text]] = [], caption: String = "") {
        (self.columns, self.caption) = (columns, caption)
        for row in rows { append(row) }
    }

    /// Adds a row. Missing cells at its end are empty.
    package mutating func append(_ row: [Report.Text]) {
        precondition(row.count <= columns.count, "a row has more cells than the table has columns")
        rows.append(row)
    }

    package enum Alignment: Sendable { case left, right }

    package struct Column: Sendable {
        let title: String
        let alignment: Alignment
        fileprivate let maximum: Int
        fileprivate let breaksWords: Bool

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - title: The title; a table without titles has no header.
        ///   - alignment: The side that cells are aligned to. Cells on the right, such as numbers, are never wrapped.
        ///   - maximum: The width from which on cells are wrapped. Default: no limit.
        ///   - breaksWords: Whether words of more than 19 columns may be broken: the text is no key. Default: no.
        package init(
            _ title: String, _ alignment: Alignment = .left, maximum: Int = .max, breaksWords: Bool = false
        ) {
            (self.title, self.alignment, self.breaksWords) = (title, alignment, breaksWords)
            self.maximum = max(maximum, 1)
        }
    }
}

extension ReportTable {
    /// The columns between two cells.
    static let gap = 2

    /// The table as lines with line feeds and without trailing spaces. Nil gives it its full width.
    package func text(width: Int? = nil, hasColor: Bool = false) -> String {
        guard !columns.isEmpty else { return "" }
        let widths = widths(fitting: width)
        if let width, total(widths) > width { return list(width, hasColor) }
        let titles = columns.map { Report.Text($0.title, .bold) }
        let rules = widths.map { Report.Text(String(repeating: "─", count: $0), .dim) }
        let header = columns.allSatisfy(\.title.isEmpty) ? [] : [titles, rules]
        return (header + rows).flatMap { parts(of: $0, widths) }
            .map { line($0, widths, hasColor) + "\n" }.joined()
    }

    /// The wrapped lines of a row, each as a row.
    private func parts(of row: [Report.Text], _ widths: [Int]) -> [[Report.Text]] {
        let cells = zip(zip(row, columns), widths).map { cell, width in
            cell.0.text.lines(ofWidth: width, breaksWords: cell.1.breaksWords).map { Report.Text($0, cell.0.style) }
        }
        let count = max(1, cells.map(\.count).max() ?? 1)
        return (0..<count).map { number in cells.map { number < $0.count ? $0[number] : "" } }
    }

    private func total(_ widths: [Int]) -> Int { widths.reduce(Self.gap * (widths.count - 1), +) }

    /// Each row as its cells with the titles of their columns, as many in a line as fit. Lines after the first one of a
    /// row are indented, and so is a row whose first cell is empty because it continues the row above.
    private func list(_ width: Int, _ hasColor: Bool) -> String {
        let indentation = String(repeating: " ", count: Self.gap)
        var text = ""
        for row in rows {
            var used = 0
            for (column, cell) in zip(columns, row) where !cell.text.isEmpty {
                let title = column.title.isEmpty ? "" : column.title + ":"
                let needed = title.displayWidth + (title.isEmpty ? 0 : 1) + cell.text.displayWidth
                if used > 0, used + Self.gap + needed <= width {
                    text += indentation
                    used += Self.gap
                } else if used > 0 || row.first?.text.isEmpty == true {
                    text += (used > 0 ? "\n" : "") + indentation
                    used = Self.gap
                }
                text += title.styled(.dim, if: hasColor)
                if used + needed <= width {
                    text += (title.isEmpty ? "" : " ") + cell.text.styled(cell.style, if: hasColor)
                    used += needed
                } else {
                    for line in cell.text.lines(ofWidth: max(width - 2 * Self.gap, 1), breaksWords: true) {
                        text += "\n\(indentation)\(indentation)" + line.styled(cell.style, if: hasColor)
                    }
                    used = width
                }
            }
            text += "\n"
        }
        return text
    }

    private func line(_ row: [Report.Text], _ widths: [Int], _ hasColor: Bool) -> String {
        // Pending spaces, written only before text.
        var (line, spaces) = ("", 0)
        for ((cell, column), width) in zip(zip(row, columns), widths) {
            let padding = max(width - cell.text.displayWidth, 0)
            spaces += column.alignment == .right ? padding : 0
            if !cell.text.isEmpty {
                line += String(repeating: " ", count: spaces) + cell.text.styled(cell.style, if: hasColor)
                spaces = 0
            }
            spaces += Self.gap + (column.alignment == .left ? padding : 0)
        }
        return line
    }

    /// The widths of the columns: those of their contents, where the widest ones give what does not fit, down to their
    /// longest words.
    private func widths(fitting available: Int?) -> [Int] {
        let texts = columns.indices.map { index in
            [columns[index].title] + rows.compactMap { index < $0.count ? $0[index].text : nil }
        }
        let minimums = zip(columns, texts).map { column, texts in
            let widths = texts.map { text in
                column.alignment == .left
                    ? text.split(separator: " ").map(\.displayWidth).max() ?? 0 : text.displayWidth
            }
            return max(column.breaksWords ? min(widths.max() ?? 0, 19, column.maximum) : widths.max() ?? 0, 1)
        }
        var widths = columns.indices.map { index in
            let natural = texts[index].map(\.displayWidth).max() ?? 1
            return min(max(natural, 1), max(columns[index].maximum, minimums[index]))
        }
        var excess = available.map { total(widths) - $0 } ?? 0
        while excess > 0 {
            let candidates = columns.indices.filter { widths[$0] > minimums[$0] }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
