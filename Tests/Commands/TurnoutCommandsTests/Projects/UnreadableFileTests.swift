import TurnoutFlags

/// What `turnout lint` says about a file that it cannot check.
@Suite struct UnreadableFileTests {
    @Test func annotationsHaveNoControlCharacters() {
        var report = FindingsReport()
        report.add([Diagnostic(.note, "flag-always-off", "flag \u{1B}[31m is always off")], in: "a\u{1B}.yaml")
        let text = report.text(as: .github)
        #expect(text.hasPrefix("::notice file=a␛.yaml,title=flag-always-off::flag ␛[31m is always off."))
    }

    private let directory = TemporaryDirectory(isCreated: true)
    private var folder: String { directory.path }

    /// A folder with a datafile that lacks its members, and a project whose lock is cut.
    init() throws {
        let files = [
            "broken.json": #"{"version":"4"}"#, "flags.yaml": "project: shop\nenvironments: {a: {}}\n",
            "clean.yaml": "project: shop\nenvironments: {a: {}}\n",
            "turnout.lock":
                #"["turnout.lock",2,"Ids and traffic of this project. Commit this file; turnout writes it."]"#
                + "\n" + #"["project","shop"]"# + "\n",
        ]
        for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
        try FileManager.default.createDirectory(atPath: folder + "/empty", withIntermediateDirectories: true)
    }

    @Test(arguments: [
        ("nosuch.yaml", "nosuch.yaml", "unreadable-file", false), ("empty", "empty", "unreadable-file", false),
        ("broken.json", "broken.json", "invalid-datafile", true), ("flags.yaml", "turnout.lock", "lock-", true),
    ]) func itsErrorsAreFindings(name: String, place: String, code: String, hasLine: Bool) async throws {
        let text = await RunTool.output(of: ["lint", name], exitCode: 1, in: folder)
        #expect(!text.output.contains("findings") && text.errors.contains(place), "\(text)")
        let json = await RunTool.output(of: ["lint", name, "-o", "json"], exitCode: 1, in: folder).output
        guard case .array(let findings)? = try JSONValue(parsing: json)["findings"] else { throw CommandError(json) }
        let finding = try #require(findings.first)
        #expect(finding["file"] == .string(place) && finding["severity"] == .string("error"), "\(json)")
        #expect((finding["line"] != nil) == hasLine && json.contains("\"code\":\"\(code)"), "\(json)")
        let github = await RunTool.output(of: ["lint", name, "-o", "github"], exitCode: 1, in: folder).output
        #expect(github.hasPrefix("::error file=\(place),") && github.contains("title=\(code)"), "\(github)")
        let sarif = await RunTool.output(of: ["lint", name, "-o", "sarif"], exitCode: 1, in: folder).output
        #expect(sarif.contains("\"ruleId\":\"\(code)") && sarif.contains("\(folder)/\(place)\""), "\(sarif)")
    }
}
