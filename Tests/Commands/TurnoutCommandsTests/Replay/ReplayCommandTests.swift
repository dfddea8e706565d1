/// `turnout replay` as a process: its reports and exit codes.
@Suite struct ReplayCommandTests {
    private static let shop = URL(filePath: #filePath).appending(path: "../../../../../Examples/Shop").standardized.path
    private static let datafile = shop + "/datafile.json"
    private static let users = ["--users", shop + "/users.ndjson", "--profiles", shop + "/profiles.json"]
    private let directory = TemporaryDirectory(isCreated: true)

    private func decisions(_ datafile: String) async -> String {
        await RunTool.output(of: ["decide", "--datafile", datafile] + Self.users).output
    }

    /// The shop's datafile with other traffic of the test of the checkout.
    private func editedShop() throws -> String {
        let text = try String(contentsOfFile: Self.datafile, encoding: .utf8)
        let traffic = #"{ "entityId": "41012", "endOfRange": 7000 }"#
        #expect(text.contains(traffic))
        return try directory.write(
            text.replacing(traffic, with: traffic.replacing("7000", with: "9000")), to: "new.json")
    }

    @Test func aLogOfTheShopHasNoDifferences() async throws {
        let log = try directory.write(await decisions(Self.datafile), to: "log")
        let report = await RunTool.output(of: ["replay", log, "--datafile", Self.datafile] + Self.users).output
        #expect(report == "56 decided again: 56 equal, 0 different\n")
    }

    @Test func whatCannotBeComparedIsNotEqual() async throws {
        let decision = #"{"user":"ada","attributes":{},"flagKey":"checkout_redesign""#
        let empty = try directory.write(decision + "}\n", to: "empty")
        let report = await RunTool.output(of: ["replay", empty, "--datafile", Self.datafile], exitCode: 1)
        #expect(report.output.contains("1 not comparable: the log does not say what was decided"))
        let log = try directory.write(await decisions(Self.datafile) + "garbage\n", to: "log")
        let line = ["replay", log, "--datafile", Self.datafile] + Self.users
        #expect(await RunTool.output(of: line, exitCode: 1).output.contains("56 equal, 0 different"))
    }

    @Test func anEditShowsExactlyTheUsersThatItMoves() async throws {
        let (before, edited) = (await decisions(Self.datafile), try editedShop())
        let changed = zip(before.split(separator: "\n"), await decisions(edited).split(separator: "\n"))
            .enumerated().filter { $0.element.0 != $0.element.1 }.map { Int64($0.offset + 1) }
        #expect(!changed.isEmpty && changed.count < 10)
        let line =
            ["replay", try directory.write(before, to: "log"), "--datafile", edited, "--output", "json"] + Self.users
        let report = try JSONValue(parsing: await RunTool.output(of: line, exitCode: 3).output)
        guard case .array(let differences)? = report["differences"] else { throw CommandError("no differences") }
        #expect(differences.map { $0["line"] } == changed.map { .integer($0) })
        #expect(report["different"] == .integer(Int64(changed.count)) && report["decided"] == .integer(56))
    }

    @Test func differencesAreShownWithTheirSteps() async throws {
        let log = try directory.write(await decisions(Self.datafile), to: "log")
        let line = ["replay", log, "--datafile", try editedShop(), "--explain"] + Self.users
        let report = await RunTool.output(of: line, exitCode: 3).output
        #expect(report.contains(#"checkout_redesign for "ada""#) && report.contains("log:1: "))
        #expect(report.contains(#"variation: "one_page" in the log, now "two_step""#))
        #expect(report.contains("├─ experiment checkout_test"))
    }

    @Test func onlyTheFirstDifferencesAreShown() async throws {
        let line = #"{"user":"a","attributes":{},"flag":"dark_mode","variation":"none"}"#
        let log = try directory.write(String(repeating: line + "\n", count: 30), to: "log")
        let command = ["replay", log, "--datafile", Self.datafile]
        let some = await RunTool.output(of: command, exitCode: 3).output
        #expect(
            some.matches(of: /in the log, now/).count == 20
                && some.contains("the first 20 are shown, and 10 are left out"))
        let all = await RunTool.output(of: command + ["--all"], exitCode: 3).output
        #expect(all.matches(of: /in the log, now/).count == 30)
        let few = await RunTool.output(of: command + ["--show", "3", "--explain"], exitCode: 3).output
        #expect(few.matches(of: /in the log, now/).count == 3 && few.contains("and 27 are left out"))
        _ = await RunTool.output(of: command + ["--show", "3", "--all"], exitCode: 2)
    }

    @Test func unknownLinesAreCountedWithTheirPlace() async throws {
        let known = #"{"user":"a","attributes":{},"flag":"dark_mode","enabled":false}"#
        let log = try directory.write("\(known)\nstarted\n\n{\"level\":1}\n", to: "log")
        let report = await RunTool.output(of: ["replay", log, "--datafile", Self.datafile], exitCode: 1).output
        #expect(report.hasPrefix("1 decided again: 1 equal, 0 different\n"))
        #expect(report.contains("2 lines are not recognized, the first is ") && report.contains("log:2: column 1: "))
    }

    @Test func aLogThatCannotBeComparedIsAnError() async throws {
        let log = try directory.write(await decisions(Self.datafile), to: "log")
        let result = await RunTool.output(of: ["replay", log, "--datafile", Self.datafile], exitCode: 1)
        #expect(result.output.contains("56 not comparable: the user's attributes are not in the log"))
        #expect(result.errors.contains("add --users FILE"))
    }
}
