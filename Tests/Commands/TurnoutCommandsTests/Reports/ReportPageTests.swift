@Suite struct ReportPageTests {
    @Test(arguments: SampleResults.hostileNames) func namesStayInTheirPlace(name: String) {
        let markup = SampleResults.report(arm: name, metric: name).html(title: name, note: name)
        let (page, plain) = (Page(markup), Page(SampleResults.report().html(title: "x", note: "x")))
        #expect(page.problem == nil)
        #expect(Set(page.elements.map(\.name)).isSubset(of: plain.elements.map(\.name) + ["wbr"]))
        let attributes = Set(page.elements.flatMap(\.attributes.keys))
        #expect(attributes.isSubset(of: plain.elements.flatMap(\.attributes.keys) + ["title"]))
        #expect(page.text.contains(name.printable.prefix(40)) || name.isEmpty)
        #expect(!markup.unicodeScalars.contains { $0.isControl && $0 != "\n" })
    }

    @Test func aLongNameIsCutAndShownWhenPointedAt() {
        let name = String(repeating: "long", count: 125)
        let page = Page(Report([.line(.init(texts: [.code(name)]))]).html(title: "x"))
        #expect(page.all("bdi").compactMap { $0.attributes["title"] } == [name])
        #expect(page.text.contains(name.prefix(79) + "…") && !page.text.contains(name.prefix(80)))
    }

    @Test func onlyLongKeysBreak() {
        let report = Report([.sentence("checkout_completed.unique: time_to_first_byte, well-known")])
        let page = report.html(title: "x")
        #expect(page.contains("checkout_<wbr/>completed.<wbr/>unique: time_to_first_byte, well-known"))
    }

    /// A policy without `unsafe-inline` works with the hash of the one style sheet.
    @Test func aPageLoadsNothingAndRunsNothing() {
        let markup = SampleResults.report().html(title: "Results")
        let page = Page(markup)
        #expect(page.all("style").count == 1 && page.all("script").isEmpty && page.all("link").isEmpty)
        let attributes = Set(page.elements.flatMap(\.attributes.keys))
        #expect(attributes.isDisjoint(with: ["style", "href", "src", "srcset", "action"]))
        #expect(!attributes.contains { $0.hasPrefix("on") })
        let styles = markup.split(separator: "<style>")[1].split(separator: "</style>")[0]
        #expect(!styles.contains { "&<>\"".contains($0) } && !styles.contains("url(") && !styles.contains("@import"))
        #expect(page.all("meta").contains { $0.attributes["content"]?.hasPrefix("default-src 'none'") == true })
    }

    @Test func headingsAndTablesSayWhatTheyAre() {
        let page = Page(SampleResults.report().html(title: "Results", note: "as of 12:04"))
        #expect(
            page.all("h1").count == 1 && page.all("h2").count == 3 && page.all("html")[0].attributes["lang"] == "en")
        #expect(page.text.contains("Visitors") && !page.text.contains("Visitors:"))
        let headers = page.all("th").map { $0.attributes["scope"] }
        #expect(headers.allSatisfy { $0 == "col" || $0 == "row" } && headers.contains("row"))
        #expect(page.all("caption").count == 2 && page.all("figcaption").count == 3)
        // Cells without text are no headers, and all rows have all cells.
        let table = ReportTable([.init("Metric"), .init("p", .right)], rows: [["a", "1"], ["", "2"], ["c"]])
        let cells = Page(Report([.table(table)]).html(title: "x")).elements.filter { $0.parent == "tr" }
        #expect(cells.map(\.name) == ["th", "th", "th", "td", "td", "td", "th", "td"])
        #expect(
            cells.map { $0.attributes["class"] == "right" } == [false, true, false, true, false, true, false, true])
    }

    @Test func everyBlockHasAForm() {
        let list = ReportTable([.init("From"), .init("Users", .right)])
        var cell: Report.Text = .init("12", .bold)
        cell.detail = "(3 %)"
        let matrix = ReportMatrix(
            corner: "from", rows: ["a"], columns: ["b", "c"], cells: [[cell, "0"]], names: ("rows", "columns"),
            list: list)
        let report = Report([
            .sentence("One <sentence>.", .red), .sentence("first", depth: 1), .sentence("below", depth: 2),
            .list("Flags added", [.code("x"), .code("y")]), .tree(["root", "└─ <leaf>"], depth: 0), .matrix(matrix),
        ])
        let page = Page(report.html(title: "x"))
        #expect(page.problem == nil && page.text.contains("One <sentence>.") && page.text.contains("└─ <leaf>"))
        #expect(page.text.contains("Flags added: x, y") && page.text.contains("12 (3 %)"))
        #expect(page.all("li").map { $0.attributes["class"] } == [nil, "deep"] && page.all("ul").count == 1)
        #expect(page.all("span").map { $0.attributes["class"] } == ["red", "bold"])
        let items = Report(isList: true, [.sentence("a"), .sentence("b")])
        #expect(Page(items.html(title: "x")).all("li").count == 2)
    }

    @Test(arguments: [40, 80, 120], SampleResults.hostileNames) func textFitsIntoItsWidth(width: Int, name: String) {
        let report = SampleResults.report(metric: name)
        for hasColor in [false, true] {
            let plain = report.text(width: width, hasColor: hasColor).replacing(#/\u{1B}\[\d+m/#, with: "")
            #expect(plain == report.text(width: width))
            let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines.filter { $0.displayWidth > width })")
        }
    }

    @Test func commentsHavePlotsAsTables() {
        let text = SampleResults.report().markdown(limit: 60_000, command: "turnout results")
        #expect(text.contains("**Visitors until each day**\n\n| Day | control | one page |\n| --- | --- | --- |\n"))
        #expect(text.contains("| ■ Purchase | +3.2 % | +1.1 to +5.4 % | better |\n"))
        #expect(text.contains("| ■ Returns | – | – |  |\n"))
    }
}
