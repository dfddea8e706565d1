import TurnoutCommandIO

/// Rows under headers, in columns as wide as their contents.
///
///     var table = TextTable([.init("Flag"), .init("Users", .right)])
///     table.append([.init("checkout", .bold), "1,240"])
package struct TextTable: Sendable {
    private let columns: [Column]
    private let overflow: Overflow
    private var rows: [[Cell]] = []

    /// The treatment of cells for which there is no room.
    package enum Overflow: Sendable {
        /// They end with `…`.
        case truncate
        /// They continue on the next line, and words that are too long are broken.
        case wrap
        /// They continue on the next line, and words stay whole: if there is no room for the longest words beside each
        /// other, the rows become lists of their cells. Only a word that is wider than a line is broken.
        case stack
    }

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - columns: The columns.
    ///   - overflow: What happens to long cells. Default: they are truncated.
    package init(_ columns: [Column], overflow: Overflow = .truncate) {
        self.columns = columns
        self.overflow = overflow
    }

    /// Adds a row. Missing cells at its end are empty.
    package mutating func append(_ row: [Cell]) {
        precondition(row.count <= columns.count, "a row has more cells than the table has columns")
        rows.append(row)
    }

    /// Whether the table has no rows.
    var isEmpty: Bool { rows.isEmpty }

    package enum Alignment: Sendable { case left, right }

    package struct Column: Sendable {
        fileprivate let title: String
        fileprivate let alignment: Alignment
        fileprivate let maximum: Int

        /// Creates a column whose cells are truncated or wrapped to `maximum` columns. Default: no limit.
        package init(_ title: String, _ alignment: Alignment = .left, maximum: Int = .max) {
            self.title = title
            self.alignment = alignment
            self.maximum = max(maximum, 1)
        }
    }

    package struct Cell: Sendable, ExpressibleByStringInterpolation {
        fileprivate let text: String
        fileprivate let style: TextStyle?

        package init(_ text: String, _ style: TextStyle? = nil) {
            self.text = text.printable
            self.style = style
        }

        package init(stringLiteral text: String) { self.init(text) }
    }
}

extension TextTable {
    /// The table, fitted to a terminal, or in full width for files and pipes.
    package func text(for terminal: Terminal) -> String {
        text(width: terminal.isTerminal ? terminal.width : nil, hasColor: terminal.hasColor)
    }

    /// The table as lines with line feeds and without trailing spaces.
    ///
    /// Lines exceed `width` only if there is no room for one `…` per cell.
    package func text(width: Int? = nil, hasColor: Bool = false) -> String {
        guard !columns.isEmpty else { return "" }
        let widths = widths(fitting: width)
        if case .stack = overflow, let width, total(widths) > width { return list(width, hasColor) }
        let titles = columns.map { Cell($0.title, .bold) }
        let rules = widths.map { Cell(String(repeating: "─", count: $0), .dim) }
        return ([titles, rules] + rows).reduce(into: "") { text, row in
            for part in overflow == .truncate ? [row] : parts(of: row, widths) {
                text += line(part, widths, hasColor) + "\n"
            }
        }
    }

    /// The wrapped lines of a row, each as a row.
    private func parts(of row: [Cell], _ widths: [Int]) -> [[Cell]] {
        let cells = zip(row, widths).map { cell, width in
            cell.text.lines(ofWidth: width).map { Cell($0, cell.style) }
        }
        let count = max(1, cells.map(\.count).max() ?? 1)
        return (0..<count).map { number in cells.map { number < $0.count ? $0[number] : Cell("") } }
    }

    /// The columns between two cells.
    static let gap = 2

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
                    for line in cell.text.lines(ofWidth: max(width - 2 * Self.gap, 1)) {
                        text += "\n\(indentation)\(indentation)" + line.styled(cell.style, if: hasColor)
                    }
                    used = width
                }
            }
            text += "\n"
        }
        return text
    }

    private func line(_ row: [Cell], _ widths: [Int], _ hasColor: Bool) -> String {
        var line = ""
        // Pending spaces, written only before text.
        var spaces = 0
        for ((cell, column), width) in zip(zip(row, columns), widths) {
            let text = cell.text.truncated(to: width)
            let padding = width - text.displayWidth
            spaces += column.alignment == .right ? padding : 0
            if !text.isEmpty {
                line += String(repeating: " ", count: spaces) + text.styled(cell.style, if: hasColor)
                spaces = 0
            }
            spaces += Self.gap + (column.alignment == .left ? padding : 0)
        }
        return line
    }

    private func widths(fitting available: Int?) -> [Int] {
        let minimums = wordWidths
        var widths = columns.indices.map { index in
            let cells = rows.lazy.compactMap { index < $0.count ? $0[index].text.displayWidth : nil }
            let natural = max(columns[index].title.displayWidth, cells.max() ?? 0, 1)
            let maximum = max(columns[index].maximum, minimums[index])
            return min(natural, maximum, max(available ?? .max, minimums[index], 1))
        }
        guard let available else { return widths }
        if case .stack = overflow {
            shrink(&widths, to: available, minimums)
            return widths
        }
        // Truncated numbers, in right-aligned columns, would be misleading, so text columns shrink first, to at least 8
        // columns.
        let texts = columns.indices.filter { columns[$0].alignment == .left }
        shrink(&widths, to: available, columns.indices.map { texts.contains($0) ? 8 : .max })
        shrink(&widths, to: available, columns.map { _ in 1 })
        return widths
    }

    /// Takes from the widest columns what does not fit, down to their minimums.
    private func shrink(_ widths: inout [Int], to available: Int, _ minimums: [Int]) {
        var excess = total(widths) - available
        while excess > 0 {
            let candidates = columns.indices.filter { widths[$0] > minimums[$0] }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
            excess -= 1
        }
    }

    /// The widths of the longest words, or of whole cells in columns of numbers; zero if words may be broken.
    private var wordWidths: [Int] {
        guard case .stack = overflow else { return columns.map { _ in 0 } }
        return columns.indices.map { index in
            let texts = [columns[index].title] + rows.compactMap { index < $0.count ? $0[index].text : nil }
            return texts.map { columns[index].alignment == .left ? $0.longestWordWidth : $0.displayWidth }.max() ?? 0
        }
    }
}
