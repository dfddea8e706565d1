/// A number of each arm by day, such as its visitors until then.
package struct LinePlot: Plot {
    package struct Series: Sendable {
        fileprivate let name: String
        fileprivate let style: ArmStyle
        fileprivate let values: [Double]

        /// Creates the line of an arm, which has a value for each day. Nothing is drawn for one that is not finite.
        package init(_ name: String, arm: Int, values: [Double]) {
            (self.name, style, self.values) = (name.printable, ArmStyle(arm), values)
        }
    }

    package let title: String
    private let days: [String]
    private let series: [Series]
    private let scale: Scale
    private let format: NumberFormat
    private let unit: NumberFormat.Unit
    package var isEmpty: Bool { series.isEmpty || days.isEmpty }

    /// Creates a plot of series with a value for each of the days.
    package init(_ title: String, _ unit: NumberFormat.Unit = .number, days: [String], series: [Series]) {
        precondition(series.allSatisfy { $0.values.count == days.count }, "a series needs a value for each day")
        (self.title, self.unit, self.days, self.series) = (title, unit, days, series)
        scale = Scale(covering: series.flatMap(\.values))
        format = NumberFormat(unit, resolution: unit == .percent ? scale.step / 10 : 1)
    }

    package func text(width: Int, hasColor: Bool) -> String {
        let ends = series.map { format.text($0.values.last(where: \.isFinite) ?? .nan) }
        let names = series.map { "\($0.style.character) \($0.name)".truncated(to: max(width / 4, 10)) }
        let used = [names, ends].map { $0.map(\.displayWidth).max() ?? 0 }.reduce(2 * ReportTable.gap, +)
        var table = ReportTable([.init(""), .init(""), .init("", .right)])
        for ((series, name), end) in zip(zip(series, names), ends) {
            let levels = series.values.spread(over: min(max(width - used, 1), 60)).map(level)
            table.append([.init(name), .init(String(levels)), .init(end)])
        }
        return table.text(hasColor: hasColor) + "\(days[0]) to \(days[days.count - 1])\n"
    }

    private func level(_ value: Double) -> Character {
        scale.place(value).map { [Character]("▁▂▃▄▅▆▇█")[min(Int($0 * 8), 7)] } ?? " "
    }

    package func table(limit: Int) -> ReportTable {
        ReportTable(
            [.init("Day")] + series.map { .init($0.name.truncated(to: 40), .right) },
            rows: days.indices.spread(over: limit).map { day in
                [.init(days[day])] + series.map { .init(format.text($0.values[day])) }
            })
    }

    package var html: HTML {
        let area = DayArea(days: days, scale: scale, format: scale.format(unit, isSigned: false))
        let paths = series.map { $0.style.path("line", area.line($0.values)) }
        let marks = series.flatMap { area.marks($0.style, $0.values, at: area.marked + [days.count - 1]) }
        let legend = series.map { HTML.named($0.style.shape, .name($0.name)) }
        return area.html(title, legend: legend, paths, marks: marks, table(limit: .max))
    }
}
