/// An estimate as it was on each day, with the band of its intervals.
package struct BandPlot: Plot {
    package let title: String
    private let points: [(day: String, estimate: Estimate)]
    private let arm: Int
    private let unit: NumberFormat.Unit
    package var isEmpty: Bool { points.isEmpty }

    /// Creates a plot.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - unit: The unit of the estimates.
    ///   - arm: The place of the arm that they are about.
    ///   - points: All days from the first to the last. Nothing is drawn on a day with a number that is not finite.
    package init(
        _ title: String, _ unit: NumberFormat.Unit, arm: Int, points: [(day: String, estimate: Estimate)]
    ) {
        (self.title, self.unit, self.arm, self.points) = (title, unit, arm, points)
    }

    /// The most rows in a text.
    private static let textRows = 15

    private func rows(limit: Int) -> ForestPlot {
        ForestPlot(title, unit, rows: points.spread(over: limit).map { .init($0.day, $0.estimate) })
    }

    package func text(width: Int, hasColor: Bool) -> String {
        rows(limit: Self.textRows).text(width: width, hasColor: hasColor)
    }

    package func table(limit: Int) -> ReportTable { rows(limit: limit).table(limit: limit) }

    package var html: HTML {
        let (style, estimates) = (ArmStyle(arm), points.map(\.estimate))
        let scale = estimates.scale
        let area = DayArea(days: points.map(\.day), scale: scale, format: scale.format(unit, isSigned: true))
        let values = estimates.map(\.value)
        let last = values.lastIndex(where: \.isFinite).map { [$0] } ?? []
        let paths = [style.path("band", area.band(estimates)), style.path("line", area.line(values))]
        let sample = style.path("band", "M-7-5h14v10h-14z")
        return area.html(
            title, legend: [.named(style.shape, "estimate"), .named(sample, "interval")], paths,
            marks: area.marks(style, values, at: last), table(limit: .max))
    }
}
