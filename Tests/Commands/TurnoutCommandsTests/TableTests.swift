@Suite struct TableTests {
    @Test func columnsAreAsWideAsNeeded() {
        var table = ReportTable([.init("Flag"), .init("Users", .right), .init("Why")])
        table.append(["checkout", "1,240,000", "everyone"])
        table.append(["日本語", "7", ""])
        table.append(["short"])
        let expected = """
            Flag          Users  Why
            ────────  ─────────  ────────
            checkout  1,240,000  everyone
            日本語            7
            short

            """
        #expect(table.text() == expected)
    }

    @Test func withoutRowsTheHeaderRemains() {
        #expect(ReportTable([.init("Flag"), .init("Why")]).text() == "Flag  Why\n────  ───\n")
        #expect(ReportTable([]).text() == "")
    }

    @Test func longCellsAreWrappedAtTheMaximum() {
        var table = ReportTable([.init("Key", maximum: 9, breaksWords: true), .init("x")])
        table.append(["abcdefghijk", "1"])
        table.append(["日本語日本語", "2"])
        table.append(["abcde fghi", "3"])
        #expect(table.text() == "Key        x\n─────────  ─\nabcdefghi  1\njk\n日本語日   2\n本語\nabcde      3\nfghi\n")
    }

    @Test func wordsStayWhole() {
        var table = ReportTable([.init("Flag"), .init("Why", maximum: 6), .init("Users", .right)])
        table.append(["checkout_redesign", "user-1 user-2 a_longer_word", "1,240"])
        table.append(["short", "", "7"])
        let beside = """
            Flag               Why            Users
            ─────────────────  ─────────────  ─────
            checkout_redesign  user-1 user-2  1,240
                               a_longer_word
            short                                 7

            """
        #expect(table.text(width: 80) == beside && table.text(width: 39) == beside)
        let below = """
            Flag: checkout_redesign
              Why:
                user-1 user-2
                a_longer_word
              Users: 1,240
            Flag: short  Users: 7

            """
        #expect(table.text(width: 24) == below)
        for width in 1...60 {
            let lines = table.text(width: width).split(separator: "\n")
            #expect(width < 8 || lines.allSatisfy { $0.displayWidth <= width && $0.last != " " }, "\(width)")
        }
    }

    @Test func stylesAppearOnlyInColor() {
        var table = ReportTable([.init("Flag"), .init("On")])
        table.append([.init("x", .green), .init("", .red)])
        #expect(table.text() == "Flag  On\n────  ──\nx\n")
        let expected = """
            \u{1B}[1mFlag\u{1B}[0m  \u{1B}[1mOn\u{1B}[0m
            \u{1B}[2m────\u{1B}[0m  \u{1B}[2m──\u{1B}[0m
            \u{1B}[32mx\u{1B}[0m

            """
        #expect(table.text(hasColor: true) == expected)
    }

    @Test func cellsEscapeControlCharacters() {
        var table = ReportTable([.init("User")])
        table.append(["a\nb\t\u{1B}[2J\u{7F}\u{9B}\r\n\u{202E}"])
        #expect(table.text() == "User\n─────────────\na␊b␉␛[2J␡�␍␊�\n")
    }

    @Test func filesGetTheFullWidth() {
        var table = ReportTable([.init("User", breaksWords: true)])
        table.append([.init(String(repeating: "x", count: 200))])
        #expect(table.text().contains(String(repeating: "x", count: 200) + "\n"))
        #expect(table.text(width: 40).contains("\n" + String(repeating: "x", count: 40) + "\n"))
    }
}

@Suite struct DisplayWidthTests {
    @Test(
        arguments: zip(
            [
                "", "abc", "é", "e\u{301}", "日本", "한국", "ｱ", "Ａ", "👍", "👍🏽", "👩‍👩‍👧", "🇳🇿", "1️⃣", "❤️", "❤", "…", "─",
                "\u{200B}",
            ],
            [0, 3, 1, 1, 4, 4, 1, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 0]))
    func widthsFollowTheTerminal(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func decomposedHangulIsAsWideAsComposed() { #expect("\u{1112}\u{1161}\u{11AB}".displayWidth == 2) }

    @Test func cutsNeverSplitACharacter() {
        #expect("日本語".truncated(to: 6) == "日本語")
        #expect("日本語".truncated(to: 5) == "日本…")
        #expect("日本語".truncated(to: 4) == "日…")
        #expect("日本語".truncated(to: 1) == "…")
        #expect("日本語".truncated(to: 0) == "")
        #expect("👩‍👩‍👧ab".truncated(to: 3) == "👩‍👩‍👧…")
    }
}

@Suite struct TerminalTests {
    private func terminal(_ isTerminal: Bool, window: Int? = nil, _ environment: [String: String] = [:]) -> Terminal {
        Terminal(isTerminal: isTerminal, windowWidth: window) { environment[$0] }
    }

    @Test func theWindowsWidthTakesPrecedence() {
        #expect(terminal(true, window: 72, ["COLUMNS": "80"]).width == 72)
        #expect(terminal(true, window: 0, ["COLUMNS": "80"]).width == 80)
        #expect(terminal(false, ["COLUMNS": "80"]).width == 80)
        for columns in ["", "0", "-5", "wide"] { #expect(terminal(true, ["COLUMNS": columns]).width == 100) }
    }

    @Test func colorsAreUsedOnlyOnTerminalsThatSupportThem() {
        #expect(terminal(true).hasColor)
        #expect(!terminal(false).hasColor)
        #expect(!terminal(true, ["TERM": "dumb"]).hasColor)
        #expect(!terminal(true, ["NO_COLOR": "1"]).hasColor)
        #expect(terminal(true, ["NO_COLOR": ""]).hasColor)
        #expect(terminal(false, ["CLICOLOR_FORCE": "1", "TERM": "dumb"]).hasColor)
        #expect(!terminal(false, ["CLICOLOR_FORCE": "0"]).hasColor)
        #expect(!terminal(true, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]).hasColor)
    }
}

@Suite struct ProgressTests {
    private let window = Terminal(isTerminal: true, windowWidth: 80) { _ in nil }

    @Test func theLineShowsCountRateAndTimeLeft() {
        var progress = ProgressLine(of: "users", total: 5_000_000, on: window)
        progress.isGuessed = true
        let line = progress.update(done: 1_240_000, after: .milliseconds(1527))
        #expect(line == "\r  1,240,000 of about 5,000,000 users · 812,000/s · 5 s left")
    }

    @Test func withoutATotalNoTimeLeftIsShown() {
        var progress = ProgressLine(of: "users", on: window)
        #expect(progress.update(done: 1500, after: .seconds(1)) == "\r  1,500 users · 1,500/s")
    }

    @Test func theLineChangesTenTimesASecond() {
        var progress = ProgressLine(of: "users", on: window)
        let updates = (0...1000).filter { progress.update(done: $0, after: .milliseconds($0)) != nil }
        #expect(updates == Array(stride(from: 100, through: 1000, by: 100)))
    }

    @Test func linesAreOverwrittenAndErasedAtTheEnd() {
        var progress = ProgressLine(of: "users", total: 10, on: window)
        let first = progress.update(done: 5, after: .seconds(1)) ?? ""
        #expect(first == "\r  5 of 10 users · 5/s · 1 s left")
        let second = progress.update(done: 10, after: .seconds(2)) ?? ""
        #expect(second == "\r  10 of 10 users · 5/s" + String(repeating: " ", count: 10))
        #expect(progress.clear() == "\r" + String(repeating: " ", count: 22) + "\r")
        #expect(progress.clear() == nil)
    }

    @Test func onlyTerminalsShowIt() {
        var progress = ProgressLine(of: "users", on: Terminal(isTerminal: false, windowWidth: nil) { _ in nil })
        #expect(progress.update(done: 1, after: .seconds(60)) == nil)
        #expect(progress.clear() == nil)
    }

    @Test(arguments: [1, 2, 10, 30]) func narrowTerminalsCutTheLine(width: Int) {
        let narrow = Terminal(isTerminal: true, windowWidth: width) { _ in nil }
        var progress = ProgressLine(of: "users", total: 5_000_000, on: narrow)
        let line = progress.update(done: 1_240_000, after: .seconds(1)) ?? ""
        #expect(line.dropFirst().displayWidth < width)
    }

    @Test func extremeValuesAreFormatted() {
        var progress = ProgressLine(of: "users", total: .max, on: window)
        #expect(progress.update(done: 0, after: .seconds(1))?.contains("/s") == false)
        #expect(progress.update(done: 1, after: .seconds(1_000_000_000))?.contains("h") == true)
        #expect(progress.update(done: .max, after: .seconds(2_000_000_000)) != nil)
        var slow = ProgressLine(of: "users", total: 5000, on: window)
        #expect(slow.update(done: 1000, after: .seconds(1000))?.hasSuffix("1/s · 1 h 6 min left") == true)
    }

    @Test func numbersHaveSeparators() {
        #expect(
            [0, 7, 999, 1000, 1_240_000, -1000, -999].map(\.grouped) == [
                "0", "7", "999", "1,000", "1,240,000", "-1,000", "-999",
            ])
        #expect(Int.min.grouped == "-9,223,372,036,854,775,808")
    }
}
