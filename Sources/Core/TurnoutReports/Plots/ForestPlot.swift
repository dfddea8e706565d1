/// Estimates with their intervals, one below the other on one scale: a forest plot.
package struct ForestPlot: Plot {
    /// What an interval says, in words, a mark and a color.
    package enum State: String, Sendable { case better, worse, unclear }

    package struct Row: Sendable {
        fileprivate let label: String
        fileprivate let arm: ArmStyle?
        fileprivate let estimate: Estimate
        fileprivate let state: State?

        /// Creates a row.
        ///
        /// - Parameters:
        ///   - label: Its name, such as that of a metric.
        ///   - arm: The place of the arm that the estimate is about. Nil shows no mark of an arm.
        ///   - estimate: Drawn if all three numbers are finite and the interval is not empty.
        ///   - state: What the interval says.
        package init(_ label: String, arm: Int? = nil, _ estimate: Estimate, _ state: State? = nil) {
            self.label = label.printable
            (self.arm, self.estimate, self.state) = (arm.map(ArmStyle.init), estimate, state)
        }
    }

    package let title: String
    private let rows: [Row]
    private let scale: Scale
    private let format: NumberFormat
    private let unit: NumberFormat.Unit
    package var isEmpty: Bool { rows.isEmpty }

    package init(_ title: String, _ unit: NumberFormat.Unit, rows: [Row]) {
        let estimates = rows.map(\.estimate)
        (self.title, self.unit, self.rows) = (title, unit, rows)
        (scale, format) = (estimates.scale, estimates.format(unit))
    }

    package func table(limit: Int) -> ReportTable {
        let columns: [ReportTable.Column] = [
            .init(""), .init("Estimate", .right), .init("Interval", .right), .init(""),
        ]
        let count = rows.contains { $0.state != nil } ? 4 : 3
        let cells = rows.prefix(limit).map { row in ([row.name] + words(row)).prefix(count).map { Report.Text($0) } }
        return ReportTable(Array(columns.prefix(count)), rows: cells)
    }

    /// The estimate, the interval, and what it says.
    private func words(_ row: Row) -> [String] {
        let interval = format.text(from: row.estimate.low, to: row.estimate.high)
        return [format.text(row.estimate.value), interval, row.state?.rawValue ?? ""]
    }

    /// Zero and, in equal steps, as many other ticks with their labels as have room in this many columns.
    private func labels(in width: Int) -> [(tick: Double, label: String)] {
        let format = scale.format(unit, isSigned: true)
        let labels = scale.ticks.map { ($0, format.text($0)) }
        let step = 1 + labels.reduce(0) { $0 + $1.1.count + ReportTable.gap } / (width + ReportTable.gap)
        let zero = scale.ticks.firstIndex(of: 0) ?? 0
        return labels.enumerated().filter { ($0.offset - zero).isMultiple(of: step) }.map(\.element)
    }
}

// MARK: Text

extension ForestPlot {
    /// The most columns of the drawing.
    private static let widest = 60

    package func text(width: Int, hasColor: Bool) -> String {
        let words = rows.map(words)
        let nameWidth = min(rows.map(\.name.displayWidth).max() ?? 0, max(width / 4, 8))
        let room = (0..<3).reduce(width - nameWidth - ReportTable.gap) { room, column in
            room - ReportTable.gap - (words.map { $0[column].displayWidth }.max() ?? 0)
        }
        guard room >= 16 else { return narrowText(width, hasColor) }
        let drawn = min(room, Self.widest)
        var table = ReportTable([.init(""), .init(""), .init("", .right), .init("", .right), .init("")])
        for (row, words) in zip(rows, words) {
            let drawing = Report.Text(drawing(row, width: drawn), row.state?.look.style)
            table.append([.init(row.name.truncated(to: nameWidth)), drawing] + words.map { .init($0) })
        }
        table.append(["", .init(axis(width: drawn))])
        return table.text(hasColor: hasColor)
    }

    /// Each drawing below its name and its numbers.
    private func narrowText(_ width: Int, _ hasColor: Bool) -> String {
        let drawn = min(width, Self.widest)
        return rows.map { row in
            [row.name, words(row).joined(separator: "  ")].map { $0.truncated(to: width) + "\n" }.joined()
                + drawing(row, width: drawn).styled(row.state?.look.style, if: hasColor) + "\n"
        }.joined() + axis(width: drawn) + "\n"
    }

    private func column(_ value: Double, of width: Int) -> Int? {
        scale.place(value).map { Int(($0 * Double(width - 1)).rounded()) }
    }

    /// `├──●─┼─┤`
    private func drawing(_ row: Row, width: Int) -> String {
        var line = [Character](repeating: " ", count: width)
        let zero = column(0, of: width) ?? 0
        line[zero] = "│"
        if let place = row.estimate.map({ column($0, of: width) }) {
            for index in place.low...place.high { line[index] = index == zero ? "┼" : "─" }
            (line[place.low], line[place.high]) = ("├", "┤")
            line[place.value] = row.state?.look.character ?? "●"
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    /// The labels of the ticks for which there is room.
    private func axis(width: Int) -> String {
        labels(in: width).reduce(into: "") { line, mark in
            let center = column(mark.tick, of: width) ?? 0
            let start = min(max(center - mark.label.count / 2, 0), width - mark.label.count)
            let gap = start - line.count
            if gap > 0 || line.isEmpty && gap == 0 { line += String(repeating: " ", count: gap) + mark.label }
        }
    }
}

extension ForestPlot.Row {
    fileprivate var name: String { (arm.map { "\($0.character) " } ?? "") + label }
}

extension ForestPlot.State {
    fileprivate var look: (character: Character, style: TextStyle?) {
        switch self {
        case .better: ("●", .green)
        case .worse: ("◆", .red)
        case .unclear: ("○", nil)
        }
    }
}

// MARK: HTML

extension ForestPlot {
    /// The characters for which even narrow pages have room.
    private static let narrowest = 36

    package var html: HTML {
        let titles = ["Estimate", "Interval"].map { HTML.element("th", ["scope": "col", "class": "right"], HTML($0)) }
        let axis = labels(in: Self.narrowest).map { tick, label in
            HTML.element("text", ["x": scale.percent(tick), "y": "14", "class": "middle"], HTML(label))
        }
        let blank = HTML.element("td", "")
        let head = HTML.element("thead", .element("tr", blank + blank + HTML(titles) + blank))
        let foot = HTML.element("tfoot", .element("tr", blank + Self.drawing(axis)))
        let table = HTML.element("table", ["class": "forest"], head + .element("tbody", HTML(rows.map(html))) + foot)
        return .element("div", ["class": "scroll", "tabindex": "0"], table)
    }

    private static func drawing(_ content: [HTML]) -> HTML {
        .element("td", ["class": "drawing"], .element("svg", ["aria-hidden": "true"], HTML(content)))
    }

    private func html(_ row: Row) -> HTML {
        let grid = scale.ticks.map { tick in
            HTML.line(tick == 0 ? "zero" : "grid", x: scale.percent(tick), scale.percent(tick), y: "0", "100%")
        }
        let words = zip(words(row), ["right", "right", "state"]).map { HTML.element("td", ["class": $1], HTML($0)) }
        let name = HTML.name(row.label)
        return .element(
            "tr", ["class": row.state?.rawValue],
            .element("th", ["scope": "row"], row.arm.map { .named($0.shape, name) } ?? name)
                + Self.drawing(grid + bar(row)) + HTML(words))
    }

    private func bar(_ row: Row) -> [HTML] {
        guard let place = row.estimate.map(scale.place) else { return [] }
        let line = HTML.line("bar", x: place.low.percent, place.high.percent, y: "50%", "50%")
        let cap = HTML.element("path", ["class": "bar", "d": "M0-5v10"])
        let path = row.state == .worse ? "M0-7L7 0L0 7L-7 0z" : "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
        let mark = HTML.element("path", ["class": "mark", "d": path])
        return [line] + [(place.low, cap), (place.high, cap), (place.value, mark)].map { .place($0, 0.5, $1) }
    }
}
