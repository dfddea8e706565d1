extension Report {
    /// The report as text. Tables, trees and sentences fit into the width; nil keeps each sentence in a line, as for
    /// files and pipes.
    package func text(width: Int? = nil, hasColor: Bool = false) -> String {
        sections.map { $0.text(width, hasColor) }.joined(separator: isList ? "" : "\n")
    }
}

extension Report.Section {
    fileprivate func text(_ width: Int?, _ hasColor: Bool) -> String {
        var text = title?.text(width, hasColor) ?? ""
        for (index, block) in blocks.enumerated() {
            text += block.text(width, hasColor)
            if case .matrix = block, index < blocks.count - 1 { text += "\n" }
        }
        return text
    }
}

extension Report.Block {
    fileprivate func text(_ width: Int?, _ hasColor: Bool) -> String {
        switch self {
        case .line(let line): line.text(width, hasColor)
        case .list(let title, let texts):
            Report.Line(texts: [.init("\(title): \(texts.map(\.text).joined(separator: ", "))", .yellow)], hang: 0)
                .text(width, hasColor)
        case .table(let table):
            heading(table.caption, width, hasColor) + table.text(width: width, hasColor: hasColor)
        case .matrix(let matrix): matrix.text(width, hasColor)
        case .tree(let lines, let depth):
            lines.flatMap { $0.branches(ofWidth: width.map { $0 - 2 * depth }) }
                .map { String(repeating: " ", count: 2 * depth) + $0 + "\n" }.joined()
        case .drawing(let plot):
            heading(plot.title, width, hasColor) + plot.text(width: width ?? Self.plotWidth, hasColor: hasColor)
        }
    }

    /// The columns of a plot in files and pipes.
    private static let plotWidth = 100

    private func heading(_ title: String, _ width: Int?, _ hasColor: Bool) -> String {
        title.isEmpty ? "" : "\n" + Report.Line(texts: [.init(title, .bold)]).text(width, hasColor)
    }
}

extension Report.Line {
    /// The line, wrapped, with line feeds. It breaks at spaces only.
    fileprivate func text(_ width: Int?, _ hasColor: Bool) -> String {
        let margin = String(repeating: " ", count: 2 * depth + hang)
        let start = String(margin.prefix(2 * depth))
        let lines = (start + texts.map(\.text).joined()).lines(ofWidth: width, margin: margin)
        var pieces = texts.map { (rest: $0.text[...], style: $0.style) }[...]
        return lines.enumerated().map { number, line in
            let indentation = number == 0 ? start : margin
            var (text, rest) = (indentation, line.dropFirst(indentation.count))
            while let piece = pieces.first, !rest.isEmpty {
                let part = rest.prefix(piece.rest.count)
                text += String(part).styled(piece.style, if: hasColor)
                rest = rest.dropFirst(part.count)
                pieces.removeFirst()
                // What is left is on the next line, after the space at which the line breaks.
                if part.count < piece.rest.count {
                    pieces.insert((piece.rest.dropFirst(part.count + 1), piece.style), at: pieces.startIndex)
                }
            }
            return text + rest + "\n"
        }.joined()
    }
}

extension ReportMatrix {
    /// If there is no room for all columns, the matrix continues below with the others. If half of them do not fit
    /// either, it is a list.
    fileprivate func text(_ width: Int?, _ hasColor: Bool) -> String {
        let room = (width ?? .max) - ([corner] + rows).map(\.displayWidth).reduce(0, max)
        var (parts, used) = ([[Int]()], 0)
        for (index, column) in columns.enumerated() {
            let texts = [column] + cells.map { $0[index].text }
            let needed = ReportTable.gap + texts.map(\.displayWidth).reduce(0, max)
            guard needed <= room else { return list.text(width: width, hasColor: hasColor) }
            if used + needed > room { (parts, used) = (parts + [[]], 0) }
            parts[parts.count - 1].append(index)
            used += needed
        }
        guard parts.count <= 2 else { return list.text(width: width, hasColor: hasColor) }
        return parts.map { part in
            var table = ReportTable([.init(corner)] + part.map { .init(columns[$0], .right) })
            for (row, cells) in zip(rows, cells) { table.append([.init(row)] + part.map { cells[$0] }) }
            return table.text(hasColor: hasColor)
        }.joined(separator: "\n")
    }
}

extension String {
    /// Wraps a line of a tree to a width. Continuation lines are indented like the children of the line, beside the
    /// branches of the tree.
    package func branches(ofWidth width: Int?) -> [String] {
        let lead = prefix { "│├└─ ".contains($0) }
        let margin = lead.reduce(into: "") { $0.append($1 == "│" || $1 == "├" ? "│" : " ") }
        return lines(ofWidth: width, margin: margin + (lead.isEmpty ? "  " : "   "))
    }
}
