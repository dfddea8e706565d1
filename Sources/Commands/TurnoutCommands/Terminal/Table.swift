/// Rows under headers, in columns just as wide as needed.
///
///     var table = Table([.init("Flag"), .init("Users", .right)])
///     table.append([.init("checkout", .bold), "1,240"])
package struct Table: Sendable {
    private let columns: [Column]
    private var rows: [[Cell]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; cells that are left out at its end stay empty.
    package mutating func append(_ row: [Cell]) {
        precondition(row.count <= columns.count, "a row has more cells than the table has columns")
        rows.append(row)
    }

    package enum Alignment: Sendable { case left, right }

    package struct Column: Sendable {
        fileprivate let title: String
        fileprivate let alignment: Alignment
        fileprivate let maximum: Int

        /// Creates a column whose cells are cut where they would be wider than `maximum`. Default: nowhere.
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
    /// The table as it suits the place where it is shown: files and pipes get it in full width.
    package func text(for terminal: Terminal) -> String {
        text(width: terminal.isTerminal ? terminal.width : nil, hasColor: terminal.hasColor)
    }

    /// The table as lines, each with its line feed and without spaces at the end.
    ///
    /// Lines are wider than `width`, the columns of the terminal, only where not even `…` fits for each cell.
    package func text(width: Int? = nil, hasColor: Bool = false) -> String {
        guard !columns.isEmpty else { return "" }
        let widths = widths(fitting: width)
        let titles = columns.map { Cell($0.title, .bold) }
        let rules = widths.map { Cell(String(repeating: "─", count: $0), .dim) }
        return ([titles, rules] + rows).reduce(into: "") { text, row in
            text += line(row, widths, hasColor) + "\n"
        }
    }

    private static let gap = 2

    private func line(_ row: [Cell], _ widths: [Int], _ hasColor: Bool) -> String {
        var line = ""
        // Spaces are written once text follows them.
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
        // Numbers, on the right, lose their meaning when cut: texts give way first, down to a readable rest.
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
