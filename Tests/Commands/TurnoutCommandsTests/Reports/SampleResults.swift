/// The results of an experiment as people get them.
enum SampleResults {
    /// Names that try to leave their place.
    static let hostileNames = [
        "<script>alert(1)</script>", "\"><img src=x onerror='alert(1)'>", "مجموعة التجربة", "🛒 checkout 👩‍👩‍👧",
        String(repeating: "long", count: 125), "a\u{202E}b\u{0}c\nd", "]]>&amp;", "",
    ]

    static let days = (10...31).map { "2025-10-\($0)" }

    static func report(arm: String = "one page", metric: String = "Revenue per visitor") -> Report {
        let arms = ["control", arm]
        var report = Report([
            .sentence("“\(arm)” is better: purchases rise by 3.2 % (1.1 to 5.4 %).", .green),
            .sentence("The planned size of 40,000 visitors is reached in 3 days.", .dim),
        ])
        report.sections += [
            Report.Section("Visitors:", .bold, [.table(visitors(arms)), .plot(growth(arms))]),
            Report.Section("Metrics", .bold, [.plot(lifts(metric)), .table(metrics(arms, metric)), .plot(running)]),
            Report.Section("Left out", .bold, [.table(leftOut(arms))]),
        ]
        return report
    }

    private static func visitors(_ arms: [String]) -> ReportTable {
        ReportTable(
            [.init("Arm"), .init("Visitors", .right), .init("Share", .right), .init("Planned", .right)],
            rows: [
                [.arm(arms[0], 0), "12,482", "50.2 %", "50.0 %"], [.arm(arms[1], 1), "12,385", "49.8 %", "50.0 %"],
            ], caption: "Visitors by arm; the split is as planned (p = 0.41)")
    }

    private static func growth(_ arms: [String]) -> LinePlot {
        let series = arms.enumerated().map { place, name in
            LinePlot.Series(
                name, arm: place, values: days.indices.map { Double(($0 + 1) * (312 - 9 * place) + $0 * 37 % 90) })
        }
        return LinePlot("Visitors until each day", days: days, series: series)
    }

    private static func lifts(_ metric: String) -> ForestPlot {
        ForestPlot(
            "Change against control, with 95 % intervals", .percent,
            rows: [
                .init("Purchase", arm: 1, Estimate(0.032, from: 0.011, to: 0.054), .better),
                .init(metric, arm: 1, Estimate(0.041, from: -0.012, to: 0.094), .unclear),
                .init("Time to first byte", arm: 1, Estimate(0.062, from: 0.031, to: 0.093), .worse),
                .init("Returns", arm: 1, Estimate(.nan, from: -.infinity, to: .infinity)),
            ])
    }

    private static func metrics(_ arms: [String], _ metric: String) -> ReportTable {
        ReportTable(
            [.init("Metric"), .init("Arm")] + ["Control", "Variation", "p"].map { .init($0, .right) },
            rows: [
                [.init("Purchase", .bold), .arm(arms[1], 1), "10.21 %", "10.54 %", .init("0.004", .green)],
                [.code(metric), .arm(arms[1], 1), "4.91", "5.11", "0.21"], ["", .arm(arms[1], 1), "5.00", "5.11"],
            ])
    }

    private static var running: BandPlot {
        BandPlot(
            "Purchase: change against control as of each day", .percent, arm: 1,
            points: days.enumerated().map { place, day in
                let half = 0.13 / Double(place + 1).squareRoot()
                return (day, Estimate(0.032, from: 0.032 - half, to: place < 2 ? .nan : 0.032 + half))
            })
    }

    private static func leftOut(_ arms: [String]) -> ReportTable {
        ReportTable(
            [.init("Reason")] + arms.map { .init($0, .right) },
            rows: [["In both arms", "31", "31"], ["Bots", "1,204", "1,187"]], caption: "Visitors that are not counted")
    }
}
