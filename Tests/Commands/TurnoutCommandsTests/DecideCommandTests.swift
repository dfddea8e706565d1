/// `turnout decide` as a process: its output and its exit code.
@Suite struct DecideCommandTests {
    private let directory = TemporaryDirectory(isCreated: true)

    private func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = directory.path + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func datafile() throws -> String {
        let title = String(repeating: "a long title ", count: 60)
        let text = #"""
            {"version": "4", "accountId": "A", "projectId": "P", "revision": "1", "anonymizeIP": true, "groups": [],
             "audiences": [], "events": [], "attributes": [], "experiments": [],
             "featureFlags": [{"id": "1", "key": "flag", "experimentIds": [], "rolloutId": "2", "variables": [
              {"id": "v", "key": "title", "type": "string", "defaultValue": "\#(title)"}]}],
             "rollouts": [{"id": "2", "experiments": [{"id": "3", "key": "rule", "layerId": "2", "status": "Running",
              "audienceIds": [], "forcedVariations": {}, "trafficAllocation": [{"entityId": "4", "endOfRange": 10000}],
              "variations": [{"id": "4", "key": "on", "featureEnabled": true}]}]}]}
            """#
        return try write(Array(text.utf8), to: "datafile.json")
    }

    /// Runs the tool, optionally with a closed standard stream, whose descriptor the next open file would get.
    private static func run(_ arguments: [String], closing descriptor: Int32? = nil, output: String? = nil) async {
        if let descriptor { close(descriptor) }
        if let output { dup2(open(output, O_WRONLY), 1) }
        StandardStream.reserve()
        exit(await Tool.run(arguments))
    }

    @Test func anAttributeWithTwoValuesIsRefused() async throws {
        let line = ["decide", "-d", try datafile(), "-u", "ada", "-a", "plan=basic", "-a", "plan=premium"]
        let errors = await RunTool.output(of: line, exitCode: 2).errors
        #expect(errors.contains("--attribute plan is given more than once"))
    }

    @Test func controlBytesAreNoEmptyLine() async throws {
        let users = try write(Array("{\"user\":\"a\"}\n\0\0\0\n \t\r\n{\"user\":\"b\"}\n".utf8), to: "users")
        let result = await #expect(
            processExitsWith: .exitCode(1), observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [datafile = try datafile() as String, users = users as String] in
            await Self.run(["decide", "-d", datafile, "--users", users])
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("users:2:1: ") && errors.contains("1 of 4 lines was skipped"))
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains(#"{"user":"a""#) && output.contains(#"{"user":"b""#))
    }

    @Test func aFileWithoutUsersIsPointedOut() async throws {
        let line = ["decide", "-d", try datafile(), "--users", try write(Array("\n".utf8), to: "users")]
        let result = await RunTool.output(of: line)
        #expect(result.errors.hasPrefix("turnout: warning: there are no users in "), "\(result)")
    }

    @Test func aClosedInputIsNotAnEmptyOne() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [datafile = try datafile() as String] in
            await Self.run(["decide", "-d", datafile, "--users", "-"], closing: 0)
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("standard input: cannot be read: Bad file descriptor"))
    }

    @Test(arguments: ["--help", "--version", "help decide", "decide --help", "decide -d DATAFILE --user ada"])
    func aFullDiskIsAnError(line: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [line = line as String, datafile = try datafile() as String] in
            let arguments = line.split(separator: " ").map { $0 == "DATAFILE" ? datafile : String($0) }
            await Self.run(arguments, output: "/dev/full")
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("No space left on device"))
    }

    @Test(arguments: [80, 40, 200]) func aTableFitsItsWidthWithoutLosingText(width: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [width = width as Int, datafile = try datafile() as String] in
            setenv("COLUMNS", "\(width)", 1)
            await Self.run(["decide", "-d", datafile, "--user", "ada"])
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let lines = output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.displayWidth <= width } && !output.contains("…"))
        #expect(output.matches(of: /long/).count == 60 || width == 40)
    }

    @Test func wrappedCellsKeepTheirText() {
        var table = ReportTable([.init("User", breaksWords: true), .init("Why", breaksWords: true)])
        table.append([.init("ada"), .init("one two three four-and-twenty five")])
        table.append([])
        table.append([.init("日本語日本語"), .init(String(repeating: "x", count: 30))])
        let expected = """
            User          Why
            ────────────  ───────────────────
            ada           one two three
                          four-and-twenty
                          five

            日本語日本語  xxxxxxxxxxxxxxxxxxx
                          xxxxxxxxxxx

            """
        #expect(table.text(width: 33) == expected)
    }

    @Test func anArgumentMustBeUTF8() {
        let report = UsageError.invalidUTF8("b\u{FFFD}b").report(from: "turnout")
        #expect(report.hasPrefix("turnout: the argument 'b\u{FFFD}b' is not valid UTF-8.\n"))
    }
}
