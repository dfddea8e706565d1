/// The area of a plot over days. Its places are parts of its width and height, so that it is as wide as its page.
struct DayArea: Sendable {
    let days: [String]
    let scale: Scale
    let format: NumberFormat

    /// A plot: its legend, the area with paths in thousandths of it and marks on them, and all numbers.
    func html(_ title: String, legend: [HTML], _ paths: [HTML], marks: [HTML], _ numbers: ReportTable) -> HTML {
        let stretched = HTML.element("svg", ["viewBox": "0 0 1000 1000", "preserveAspectRatio": "none"], HTML(paths))
        let svg = HTML.element(
            "svg", ["class": "days", "role": "img", "aria-label": title], HTML(grid + dates + [stretched] + marks))
        return .element("ul", ["class": "legend"], HTML(legend.map { .element("li", $0) })) + svg
            + .element("details", .element("summary", "Numbers") + numbers.html)
    }

    /// The place of a day; a single one is in the middle.
    private func x(_ day: Int) -> Double { days.count > 1 ? Double(day) / Double(days.count - 1) : 0.5 }

    private var grid: [HTML] {
        scale.ticks.map { tick in
            let y = (1 - (scale.place(tick) ?? 0)).percent
            return .line(tick == 0 ? "zero" : "grid", x: "0", "100%", y: y, y)
                + .element("text", ["class": "end", "x": "-8", "y": y, "dy": "4"], HTML(format.text(tick)))
        }
    }

    /// The days that have a label: at most seven, in steps of weeks where there are many.
    var marked: [Int] {
        let steps = [1, 2, 7, 14, 28, 56, 112, 364, 728]
        let step = steps.first { (days.count - 1) / $0 < 7 } ?? max(days.count / 7, 1)
        return Array(stride(from: 0, to: days.count, by: step))
    }

    /// Narrow pages have no room for every second one.
    private var dates: [HTML] {
        marked.enumerated().map { number, day in
            HTML.element(
                "text",
                [
                    "class": number.isMultiple(of: 2) ? "middle" : "middle wide", "x": x(day).percent, "y": "100%",
                    "dy": "22",
                ], HTML(label(number)))
        }
    }

    /// A date, without the year of the one before: `2026-11-29`, `12-06`.
    private func label(_ number: Int) -> String {
        let day = days[marked[number]]
        let hasYear = day.count != 10 || number == 0 || days[marked[number - 1]].prefix(5) != day.prefix(5)
        return hasYear ? day : String(day.dropFirst(5))
    }

    /// A path along values; it has gaps where values cannot be drawn. Its coordinates are thousandths.
    func line(_ values: [Double]) -> String {
        runs { scale.place(values[$0]) != nil }.map { run in path(run.map { ($0, values[$0]) }) }.joined()
    }

    /// A path around intervals.
    func band(_ estimates: [Estimate]) -> String {
        runs { estimates[$0].map(scale.place) != nil }.map { run in
            path(run.map { ($0, estimates[$0].high) } + run.reversed().map { ($0, estimates[$0].low) }) + "z"
        }.joined()
    }

    private func runs(_ isDrawn: (Int) -> Bool) -> [Range<Int>] { days.indices.split { !isDrawn($0) } }

    private func path(_ points: [(day: Int, value: Double)]) -> String {
        let places = points.map { day, value in [x(day), 1 - (scale.place(value) ?? 0)] }
        return "M" + places.map { "\($0[0].thousandths) \($0[1].thousandths)" }.joined(separator: "L")
    }

    /// The mark of an arm at the values of some days, and where a line would be a point.
    func marks(_ style: ArmStyle, _ values: [Double], at days: [Int]) -> [HTML] {
        let points = runs { scale.place(values[$0]) != nil }.filter { $0.count == 1 }.joined()
        return Set(days + points).sorted().compactMap { day in
            scale.place(values[day]).map { .place(x(day), 1 - $0, style.shape) }
        }
    }
}

extension Scale {
    /// A tick's place as an SVG attribute.
    func percent(_ tick: Double) -> String { (place(tick) ?? 0).percent }
}

extension HTML {
    /// A shape at a place of its area.
    static func place(_ x: Double, _ y: Double, _ shape: HTML) -> HTML {
        .element("svg", ["x": x.percent, "y": y.percent], shape)
    }

    static func line(_ kind: String, x x1: String, _ x2: String, y y1: String, _ y2: String) -> HTML {
        .element("line", ["class": kind, "x1": x1, "x2": x2, "y1": y1, "y2": y2])
    }
}
