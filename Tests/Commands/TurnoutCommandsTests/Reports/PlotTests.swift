@Suite struct PlotTests {
    private static let none = Estimate(.nan, from: -.infinity, to: .infinity)
    private static let days = (101...200).map { "day \($0)" }

    private let forest = ForestPlot(
        "Change", .percent,
        rows: [
            .init("Purchase", arm: 1, Estimate(0.032, from: 0.011, to: 0.054), .better),
            .init("Revenue per visitor", arm: 2, Estimate(0.01, from: -0.02, to: 0.04), .unclear),
            .init("Latency", Estimate(-0.04, from: -0.05, to: -0.03), .worse), .init("Returns", none),
        ])

    @Test func intervalsShareAScaleWithZero() {
        let wide = """
            ■ Purchase                    │ ├──●───┤         +3.2 %  +1.1 to +5.4 %  better
            ▲ Revenue per visit…       ├──┼─○───┤            +1.0 %  −2.0 to +4.0 %  unclear
            Latency               ├─◆┤    │                  −4.0 %  −5.0 to −3.0 %  worse
            Returns                       │                       –               –
                                  −5 %   0 %    +5 %  +10 %

            """
        #expect(forest.text(width: 80, hasColor: false) == wide)
        let narrow = """
            ■ Purchase
            +3.2 %  +1.1 to +5.4 %  better
                         │  ├────●─────┤
            ▲ Revenue per visitor
            +1.0 %  −2.0 to +4.0 %  unclear
                    ├────┼──○──────┤
            Latency
            −4.0 %  −5.0 to −3.0 %  worse
            ├──◆─┤       │
            Returns
            –  –\u{20}\u{20}
                         │
            −5 %        0 %         +5 %       +10 %

            """
        #expect(forest.text(width: 40, hasColor: false) == narrow)
        #expect(forest.text(width: 80, hasColor: true).contains("\u{1B}[32m        │ ├──●───┤\u{1B}[0m  "))
    }

    @Test func daysAreSpreadOverTheRowsOfAText() {
        let points = (1...40).map { ("day \($0)", Estimate(Double($0), from: 0, to: 60)) }
        let band = BandPlot("Change", .number, arm: 1, points: points)
        let lines = band.text(width: 70, hasColor: false).split(separator: "\n")
        #expect(lines.count == 16 && lines[0].hasPrefix("day 1 ") && lines[14].hasPrefix("day 40 "))
        #expect(lines[14].hasSuffix("+40  0 to +60") && lines[15].split(separator: " ") == ["0", "+20", "+40", "+60"])
        #expect(
            band.table(limit: 3).text().split(separator: "\n").dropFirst(2).map { $0.prefix(6) } == [
                "day 1 ", "day 20", "day 40",
            ])
    }

    @Test func datesRepeatNoYear() {
        let days = (28...31).map { "2026-12-\($0)" } + (1...3).map { "2027-01-0\($0)" }
        let plot = LinePlot("x", days: days, series: [.init("a", arm: 0, values: days.map { _ in 1 })])
        let page = Page(Report([.plot(plot)]).html(title: "x"))
        #expect(page.text.contains("2026-12-2812-2912-3012-312027-01-0101-0201-03"))
        #expect(page.all("text").filter { $0.attributes["class"] == "middle wide" }.count == 3)
    }

    @Test func linesAreSparksOnOneScale() {
        let plot = LinePlot(
            "Visitors", days: (1...9).map { "day \($0)" },
            series: [
                .init("a", arm: 0, values: (0...8).map(Double.init)),
                .init("b", arm: 1, values: [0, .nan, 4, 4, 4, .infinity, 1e300, 9, 10]),
            ])
        let text = "● a  ▁▁▂▃▄▅▅▆▇   8\n■ b  ▁ ▄▄▄  ██  10\nday 1 to day 9\n"
        #expect(plot.text(width: 70, hasColor: false) == text)
    }

    static let corners: [any Plot] = [
        LinePlot(
            "one day", days: ["a"], series: [.init("x", arm: 0, values: [120]), .init("y", arm: 9, values: [60])]),
        LinePlot("nothing known", days: ["a", "b"], series: [.init("x", arm: 0, values: [.nan, -.infinity])]),
        LinePlot(
            "gaps", days: Array(days[..<6]), series: [.init("x", arm: 0, values: [1, .nan, 1e300, 4, .infinity, 6])]),
        LinePlot("zeros", .percent, days: ["a", "b"], series: [.init("x", arm: 0, values: [0, 0])]),
        LinePlot(
            "100 days", days: days,
            series: (0..<8).map { arm in .init("arm \(arm)", arm: arm, values: (0..<100).map { Double($0 * arm) * 1e5 })
            }), BandPlot("one day", .percent, arm: 2, points: [("a", Estimate(0.03, from: 0.01, to: 0.05))]),
        BandPlot("nothing known", .percent, arm: 2, points: [("a", none), ("b", none)]),
        BandPlot(
            "gaps", .number, arm: 3,
            points: days.enumerated().map { ($1, $0 % 3 == 0 ? none : Estimate(1, from: -Double($0), to: 5)) }),
        BandPlot("tiny", .percent, arm: 0, points: [("a", Estimate(1e-9, from: -1e-9, to: 1e-8)), ("b", none)]),
        ForestPlot("zero", .percent, rows: [.init("x", Estimate(0, from: 0, to: 0), .unclear)]),
        ForestPlot("empty interval", .percent, rows: [.init("x", Estimate(0.3, from: 0.5, to: 0.1), .better)]),
        ForestPlot("outside", .percent, rows: [.init("x", Estimate(0.06, from: 0.01, to: 0.05), .better)]),
        ForestPlot(
            "large", .number,
            rows: [
                .init("x", Estimate(-1e9, from: -2e9, to: -1e8), .worse), .init("y", Estimate(3, from: 1, to: 5)),
                .init("z", Estimate(1e300, from: 0, to: 1e305)),
            ]),
    ]

    @Test(arguments: corners.indices) func cornersAreDrawn(index: Int) {
        let report = Report([.plot(Self.corners[index])])
        for width in [1, 20, 40, 80, 120] {
            let text = report.text(width: width)
            let fits = text.split(separator: "\n").allSatisfy { $0.displayWidth <= width }
            #expect(!text.contains("nan") && !text.contains("inf") && (width < 40 || fits), "\(text)")
        }
        #expect(report.markdown(limit: 60_000, command: "x").contains("| --- |"))
        let page = Page(report.html(title: "x"))
        #expect(page.problem == nil && !page.all("svg").isEmpty)
        for value in page.elements.filter({ $0.name != "bdi" }).flatMap(\.attributes.values) {
            #expect(!value.contains("nan") && !value.contains("inf"), "\(value)")
        }
    }

    @Test func whatIsNotKnownIsNotDrawn() {
        func paths(_ plot: any Plot, _ kind: String) -> [String] {
            Page(Report([.plot(plot)]).html(title: "x")).all("path")
                .filter { $0.attributes["class"]?.hasPrefix(kind) == true }.compactMap { $0.attributes["d"] }
        }
        let line = LinePlot(
            "x", days: Array(Self.days[..<6]), series: [.init("x", arm: 0, values: [0, 10, .nan, 5, .infinity, 10])])
        #expect(paths(line, "line") == ["M0.0 1000.0L200.0 0.0M600.0 500.0M1000.0 0.0"])
        let band = BandPlot(
            "x", .number, arm: 0,
            points: [("a", Estimate(5, from: 0, to: 10)), ("b", Estimate(5, from: 5, to: 10)), ("c", Self.none)])
        #expect(paths(band, "band")[1] == "M0.0 0.0L500.0 0.0L500.0 500.0L0.0 1000.0z")
        #expect(paths(ForestPlot("x", .number, rows: [.init("x", Self.none)]), "bar") == [])
        // Nor does the scale cover it.
        let half = BandPlot(
            "x", .number, arm: 0,
            points: [("a", Estimate(1, from: 0, to: 2)), ("b", Estimate(1, from: -100, to: .nan))])
        #expect(paths(half, "band")[1] == "M0.0 0.0L0.0 1000.0z")
    }

    @Test func withoutDataASentenceTakesThePlaceOfAPlot() {
        let plots: [any Plot] = [
            LinePlot("x", days: [], series: [.init("x", arm: 0, values: [])]), LinePlot("x", days: ["a"], series: []),
            BandPlot("x", .number, arm: 0, points: []), ForestPlot("x", .number, rows: []),
        ]
        for plot in plots {
            #expect(Report([.plot(plot)]).text() == "x: no data yet.\n")
            #expect(Page(Report([.plot(plot)]).html(title: "x")).all("figure").isEmpty)
        }
    }

    /// Color, shape and dashes belong to an arm, whichever plot or table it is in.
    @Test func anArmLooksTheSameEverywhere() {
        func marks(_ block: Report.Block) -> Set<[String?]> {
            let paths = Page(Report([block]).html(title: "x")).all("path")
            return Set(
                paths.map(\.attributes).filter { $0["class"]?.hasPrefix("mark arm") == true }.map {
                    [$0["class"], $0["d"]]
                })
        }
        var looks: Set<[String?]> = []
        for arm in 0..<64 {
            let look = marks(.plot(LinePlot("x", days: ["a"], series: [.init("x", arm: arm, values: [1])])))
            #expect(look.count == 1)
            #expect(look == marks(.table(ReportTable([.init("")], rows: [[.arm("x", arm)]]))))
            #expect(look == marks(.plot(ForestPlot("x", .number, rows: [.init("x", arm: arm, Self.none)]))))
            #expect(look == marks(.plot(BandPlot("x", .number, arm: arm, points: [("a", Self.none)]))))
            looks.formUnion(look)
        }
        #expect(looks.count == 64)
    }

    @Test func numbersHaveTheDecimalsThatMatter() {
        func texts(_ format: NumberFormat, _ numbers: Double...) -> [String] { numbers.map(format.text) }
        let percent = NumberFormat(.percent, resolution: 0.001, isSigned: true)
        #expect(
            texts(percent, 0.032, -0.0006, -0.0004, 0, 12.5) == ["+3.2 %", "−0.1 %", "0.0 %", "0.0 %", "+1,250.0 %"])
        #expect(texts(percent, .nan, .infinity, 1e300) == ["–", "–", "1e+302 %"])
        #expect(percent.text(from: -0.01, to: 0.05) == "−1.0 to +5.0 %" && percent.text(from: 2, to: 1) == "–")
        #expect(texts(NumberFormat(.number, resolution: 1), 1_240_000, -3.4, -0.4) == ["1,240,000", "−3", "0"])
        #expect(texts(NumberFormat(.number, resolution: 0.05), 0.05, -1234.567) == ["0.05", "−1,234.57"])
        #expect(texts(NumberFormat(.number, resolution: 1e-12), 1) == ["1.000000"])
        let short = NumberFormat(.number, resolution: 5e6, isShort: true)
        #expect(texts(short, 15e6, 0, -2e9) == ["15M", "0", "−2,000M"])
    }
}
