/// A plot of a report.
package protocol Plot: Sendable {
    var title: String { get }

    /// Whether there is nothing to draw yet. The other members are not used then.
    var isEmpty: Bool { get }

    /// The plot drawn with characters, in lines of at most `width` columns.
    func text(width: Int, hasColor: Bool) -> String

    /// Its numbers, in at most `limit` rows.
    func table(limit: Int) -> ReportTable

    /// The plot for a page, as wide as its window.
    var html: HTML { get }
}

/// How an arm of an experiment looks wherever it appears. Colors repeat after eight arms, colors with marks after 64.
package struct ArmStyle: Sendable {
    private let color: Int
    private let mark: Int

    /// The style of an arm, by its place among the arms; the first one is what the others are compared with.
    package init(_ place: Int) { (color, mark) = (place % 8, (place + place / 8) % 8) }

    /// The mark in a text.
    var character: Character { Self.marks[mark].character }

    /// The mark at the origin.
    package var shape: HTML { .element("path", ["class": "mark arm\(color)", "d": Self.marks[mark].path]) }

    /// A path of the arm: a `line` or a `band`.
    func path(_ kind: String, _ path: String) -> HTML {
        .element("path", ["class": "\(kind) arm\(color)", "d": path, "stroke-dasharray": Self.marks[mark].dashes])
    }

    private static let marks: [(character: Character, dashes: String, path: String)] = [
        ("●", "none", "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z"),
        ("■", "8 3", "M-4-4h8v8h-8z"),
        ("▲", "2 3", "M0-5.5L5.5 4h-11z"),
        ("◆", "10 3 2 3", "M0-6L6 0L0 6L-6 0z"),
        ("▼", "5 2", "M0 5.5L5.5-4h-11z"),
        ("+", "14 4", "M-1.5-5.5h3v4h4v3h-4v4h-3v-4h-4v-3h4z"),
        ("×", "1 2", "M-5-3L-3-5L0-2L3-5L5-3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0z"),
        ("★", "10 3 2 3 2 3", "M0-6.5L1.7-2L6.5-2L2.7.9L4.1 5.5L0 2.7L-4.1 5.5L-2.7.9L-6.5-2L-1.7-2z"),
    ]
}
