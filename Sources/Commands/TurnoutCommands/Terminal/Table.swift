/// Rows under headers, in columns as wide as their contents.
///
///     var table = Table([.init("Flag"), .init("Users", .right)])
///     table.append([.init("checkout", .bold), "1,240"])
package struct Table: Sendable {
    private let columns: [Column]
    private let wraps: Bool
    private var rows: [[Cell]] = []

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - columns: The columns.
    ///   - wraps: Whether long cells continue on the next line. Default: false, they are truncated.
    package init(_ columns: [Column], wraps: Bool = false) {
        self.columns = columns
        self.wraps = wraps
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

        /// Creates a column whose cells are truncated to `maximum` columns. Default: no limit.
        package init(_ title: String, _ alignment: Alignment = .left, maximum: Int = .max) {
            self.title = title
            self.alignment = alignment
            self.maximum = max(maximum, 1)
        }
    }

    package struct Cell: Sendable, ExpressibleByStringInterpolation {
        fileprivate let text: String
        fileprivate let style: Style?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text.printable
            self.style = style
        }

        package init(stringLiteral text: String) { self.init(text) }
    }
}

extension Table {
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
        let titles = columns.map { Cell($0.title, .bold) }
        let rules = widths.map { Cell(String(repeating: "─", count: $0), .dim) }
        return ([titles, rules] + rows).reduce(into: "") { text, row in
            for part in wraps ? parts(of: row, widths) : [row] { text += line(part, widths, hasColor) + "\n" }
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

    private static let gap = 2

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
        var widths = columns.indices.map { index in
            let cells = rows.lazy.compactMap { index < $0.count ? $0[index].text.displayWidth : nil }
            let natural = max(columns[index].title.displayWidth, cells.max() ?? 0, 1)
            return min(natural, columns[index].maximum, max(available ?? .max, 1))
        }
        guard let available else { return widths }
        // Truncated numbers, in right-aligned columns, would be misleading, so text columns shrink first, to at least 8
        // columns.
        let texts = columns.indices.filter { columns[$0].alignment == .left }
        for (candidates, minimum) in [(texts, 8), (Array(columns.indices), 1)] {
            var excess = widths.reduce(Self.gap * (widths.count - 1), +) - available
            while excess > 0, let widest = candidates.max(by: { widths[$0] < widths[$1] }), widths[widest] > minimum {
                widths[widest] -= 1
                excess -= 1
            }
        }
        return widths
    }
}
