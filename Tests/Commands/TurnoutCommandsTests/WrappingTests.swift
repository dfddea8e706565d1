import TurnoutFlags

@Suite("Sentences are wrapped at the width of a terminal, and nowhere else")
struct WrappingTests {
    private static let finding = Diagnostic(
        .warning, "rule-unreachable",
        "delivery everyone_in_europe of flag checkout never applies: delivery all before it takes every user",
        advice: "Its users get what comes first. Move the rule up, narrow what takes its users, or remove one.",
        at: SourcePosition(line: 12, column: 9))

    @Test(arguments: [40, 80, 120]) func findingsFit(width: Int) {
        var report = FindingsReport()
        report.add([Self.finding], in: "flags.yaml")
        let whole = report.text(as: .text)
        let lines = report.text(as: .text, width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        #expect(lines[0].hasPrefix("flags.yaml:12:9: warning: delivery"))
        #expect(lines[1].hasPrefix("    "))
        #expect(words(lines.joined(separator: " ")) == words(whole))
        #expect(whole.split(separator: "\n").count == 4)
    }

    @Test func wrappedFindingsKeepTheirStyles() {
        var report = FindingsReport()
        report.add([Self.finding], in: "flags.yaml")
        let text = report.text(as: .text, width: 60, hasColor: true)
        #expect(text.hasPrefix("flags.yaml:12:9".styled(.bold, if: true) + ": " + "warning".styled(.yellow, if: true)))
    }

    @Test(arguments: [40, 80, 120]) func changesFit(width: Int) {
        let detail = "audience plan is premium and (country is US or country is CA or segment big_spender) → everyone"
        let report = ChangeReport([ProjectChange(.changed, ["flag checkout", "experiment checkout_ab"], detail)])
        let lines = report.text(as: .text, width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.displayWidth <= width } && lines.count > 2, "\(lines)")
        #expect(lines[1].hasPrefix("  experiment") && lines[2].hasPrefix("    "))
        #expect(report.text(as: .text).split(separator: "\n").count == 2)
    }

    @Test func indentationIsKeptAndLongWordsAreWhole() {
        #expect("  a b c".lines(ofWidth: 5, margin: "    ") == ["  a b", "    c"])
        #expect("  abcdefgh i".lines(ofWidth: 5, margin: "    ") == ["  abcdefgh", "    i"])
        #expect("a b".lines(ofWidth: nil, margin: "    ") == ["a b"])
        #expect("".lines(ofWidth: 5, margin: "") == [""])
    }

    private func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
}
