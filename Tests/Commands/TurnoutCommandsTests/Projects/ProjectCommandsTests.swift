/// `turnout init`, `lint`, `compile`, `diff`, `set`, `promote` and `import` from the outside.
@Suite struct ProjectCommandsTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized.path
    private static let shop = root + "/Examples/Shop/datafile.json"

    private let directory = TemporaryDirectory(isCreated: true)
    private var folder: String { directory.path }
    private var project: String { folder + "/flags.yaml" }

    @Test func aMisspeltShellIsCorrected() async {
        #expect(await run("completions", "bsh", exitCode: 2).errors.contains("Did you mean \"bash\"?"))
    }

    @Test func largeProjectsInJSONAreProjects() async throws {
        let description = String(repeating: #"{\"project\": 1}, ["#, count: 100_000)
        let text =
            #"{"flags": {"a": {"description": "\#(description)", "else": "off"}}, "project": "shop", "#
            + #""environments": {"production": {}}}"#
        try directory.write(text, to: "flags.json")
        let line = ["decide", "-d", folder + "/flags.json", "-u", "ada", "-o", "ndjson"]
        #expect(await RunTool.output(of: line).output.contains(#""flag":"a""#))
    }

    @Test func newProjectIsCleanAndCompiles() async throws {
        _ = await run("init", folder, "--name", "shop")
        let findings = await run("lint", project).output
        #expect(findings == "no findings\n")
        let summary = await run("compile", project).output
        #expect(summary.contains("production (revision 1), development (revision 1)"))
        for environment in ["production", "development"] {
            let datafile = try Project(datafile: Array(directory.text(of: "datafiles/\(environment).json").utf8))
            #expect(datafile.flags.map(\.key) == ["checkout"])
            #expect(datafile.warnings.isEmpty)
        }
        _ = await run("compile", project, "--check")
        let printed = await run("compile", project, "--environment", "production").output
        #expect(try printed == directory.text(of: "datafiles/production.json"))
        let misspelt = await run("compile", project, "-e", "producton", exitCode: 1).errors
        #expect(misspelt.contains("Did you mean \"production\"?"))
    }

    @Test(arguments: ["null", "true", "no", "1.5", "~", "-", "a: b", "\"'", "# x", "été 🛒", "0x1F", "{a}"])
    func theNameOfANewProjectReadsBack(name: String) async throws {
        _ = await run("init", folder, "--name=\(name)")
        _ = await run("compile", project)
        let lines = try directory.text(of: "turnout.lock").split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
        #expect(lines.contains(.array([.string("project"), .string(name)])))
        let datafile = try Project(datafile: Array(directory.text(of: "datafiles/production.json").utf8))
        #expect(datafile.sdkKey?.hasSuffix("_production") == true)
    }

    @Test func initKeepsAnExistingFile() async throws {
        _ = await run("init", folder)
        try Data("mine".utf8).write(to: URL(filePath: project))
        let errors = await run("init", folder, exitCode: 1).errors
        #expect(errors.contains("exists already"))
        #expect(try directory.text(of: "flags.yaml") == "mine")
    }

    @Test func setChangesOneValueAndCompileOneRevision() async throws {
        _ = await run("init", folder)
        _ = await run("compile", project)
        let before = try directory.text(of: "flags.yaml")
        _ = await run("set", "checkout.rules.checkout_ab.traffic", "60%", "--project", project)
        let after = try directory.text(of: "flags.yaml")
        #expect(after == before.replacing("traffic: 50%", with: "traffic: 60%"))
        let errors = await run("compile", project, "--check", exitCode: 3).errors
        #expect(errors.contains("datafiles/production.json") && !errors.contains("development.json"))
        let summary = await run("compile", project).output
        #expect(summary.contains("production (revision 2), development (revision 1)"))
        // The old file is read from standard input elsewhere; here it is written beside the new one.
        try directory.write(before, to: "old.yaml")
        let difference = await run("diff", folder + "/old.yaml", project, "--output", "text").output
        #expect(difference == "flag checkout\n  experiment checkout_ab: traffic 50% → 60% (production)\n")
        _ = await run("diff", folder + "/old.yaml", project, "--fail", exitCode: 3)
    }

    @Test func theCommentOfALargeChangeFitsAndSaysWhatItLeavesOut() async throws {
        func write(_ flags: ClosedRange<Int>, to name: String) throws -> String {
            let text = flags.map {
                "  flag_\($0)_\(String(repeating: "x", count: 40)):\n    variations: {on: {}, other: {}}\n"
            }
            let path = folder + "/" + name
            try Data("project: shop\nenvironments: {a: {}}\nflags:\n\(text.joined())".utf8).write(
                to: URL(filePath: path))
            return path
        }
        let files = [try write(1...2, to: "old.yaml"), try write(2...900, to: "new.yaml")]
        let report = await run("diff", files[0], files[1], "--output", "markdown").output
        let lines = report.split(separator: "\n")
        let end = try #require(lines.lastIndex { $0.hasPrefix("A comment has no room for ") })
        let comment = lines[...end].joined(separator: "\n")
        #expect((12_000..<ChangeReport.markdownLimit).contains(comment.unicodeScalars.count))
        let shown = lines.count { $0.hasPrefix("  - ") }
        #expect(lines[end].contains("room for \(899 - shown) more changes, of flag flag"), "\(lines[end])")
    }

    @Test func promoteCopiesRulesAndKeepsTheIdsOfBothEnvironments() async throws {
        _ = await run("init", folder)
        _ = await run("compile", project)
        let summary = await run("promote", "development", "production", "-p", project).output
        #expect(summary.hasSuffix("\npromoted checkout\n"))
        _ = await run("compile", project)
        let datafile = try Project(datafile: Array(directory.text(of: "datafiles/production.json").utf8))
        #expect(datafile.flag("checkout")?.rolloutRules.first?.key == "checkout_developers")
        #expect(datafile.decide("checkout", for: User("ada")).variationKey == "on")
        let again = await run("promote", "development", "production", "-p", project).output
        #expect(again == "nothing to promote\n")
    }

    /// Imported rules carry ids, which belong to one environment.
    @Test func promoteKeepsCommentsBesideCarriedIds() async throws {
        let text = """
            project: shop
            environments: {staging: {}, production: {}}
            flags:
              f:
                variations: {on: {}}
                in:
                  staging:
                    rules:
                      # Until March.
                      - delivery: d
                        serve: on
                        traffic: 60%  # as agreed
                        datafile: {layerId: "1"}
                      - delivery: e  # new
                        serve: on
                        datafile: {layerId: "3"}
                  production:
                    rules:
                      - delivery: d
                        serve: on
                        datafile: {layerId: "2"}

            """
        try Data(text.utf8).write(to: URL(filePath: project))
        _ = await run("promote", "staging", "production", "-p", project)
        let entry = try directory.text(of: "flags.yaml").split(separator: "production:\n", maxSplits: 1)[1]
        #expect(
            entry == """
                        rules:
                          - delivery: d
                            serve: on
                            traffic: 60%  # as agreed
                            datafile: {layerId: "2"}
                          - delivery: e  # new
                            serve: on

                """, "\(entry)")
        #expect(try directory.text(of: "flags.yaml").hasPrefix(text.prefix(400)))
    }

    @Test func importedDatafileCompilesToOneThatDecidesAlike() async throws {
        _ = await run("import", Self.shop, "--into", folder)
        _ = await run("lint", project, "--fail-on", "error")
        _ = await run("compile", project)
        let before = try Project(datafile: Array(Data(contentsOf: URL(filePath: Self.shop))))
        let after = try Project(datafile: Array(directory.text(of: "datafiles/demo.json").utf8))
        for number in 0..<500 {
            let user = User("user-\(number)", attributes: ["country": "US", "orders": .integer(Int64(number % 12))])
            for flag in before.flags {
                let (old, new) = (before.decide(flag.key, for: user), after.decide(flag.key, for: user))
                #expect(old.description == new.description)
            }
        }
        let errors = await run("import", Self.shop, "--into", folder, exitCode: 1).errors
        #expect(errors.contains("exists already; nothing was written"))
    }

    /// The key of the rule for everyone else is generated, and says nothing.
    @Test func peopleReadEveryoneElseInPlaceOfAGeneratedKey() async throws {
        _ = await run("init", folder)
        _ = await run("compile", project)
        let (old, new) = (folder + "/datafiles/production.json", folder + "/datafiles/development.json")
        let steps = await run("explain", "-d", old, "-u", "ada").output
        #expect(steps.contains("by the rule for everyone else\n"), "\(steps)")
        #expect(steps.contains("rollout rule for everyone else\n"))
        let impact = await run("impact", old, new).output
        #expect(impact.contains("everyone else"), "\(impact)")
        for text in [steps, impact, await run("diff", old, new).output] {
            #expect(!text.contains("rule default-") && !text.contains("→ default-"), "\(text)")
        }
    }

    /// A datafile cannot say what an experiment measures, unless an event names it.
    @Test func importedDatafileHasNoFindingThatFails() async throws {
        let old = try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: Self.shop))))
        guard case .object(var members) = old else { return }
        members["events"] = .array([])
        let datafile = folder + "/datafile.json"
        try Data(JSONValue.object(members).bytes).write(to: URL(filePath: datafile))
        let notes = await run("import", datafile, "--into", folder).errors
        #expect(notes.contains("[metrics-unknown]"), "\(notes)")
        let text = try directory.text(of: "flags.yaml")
        #expect(text.hasPrefix("# A datafile does not say what an experiment measures"), "\(text)")
        #expect(text.contains("ignore: [experiment-without-metric]"))
        let findings = await run("lint", project).output
        #expect(!findings.contains(": warning: "), "\(findings)")
    }

    @Test func decisionsStartFromAProjectFile() async throws {
        _ = await run("init", folder)
        let errors = await run("decide", "-d", project, "-u", "ada", exitCode: 1).errors
        #expect(errors.contains("has the environments production, development"))
        let (table, note) = await run("decide", "-d", project, "-e", "development", "-u", "ada")
        #expect(table.contains("checkout_developers"))
        #expect(note.hasPrefix("turnout: note: \(project): has no turnout.lock beside it"), "\(note)")
        #expect(note.contains("run `turnout compile`") && note.count { $0 == "\n" } == 1)
        _ = await run("compile", project)
        let silent = await run("decide", "-d", project, "-e", "development", "-u", "ada").errors
        #expect(!silent.contains("turnout.lock"), "\(silent)")
        let inspection = await run("inspect", "-d", project, "-e", "production").output
        #expect(inspection.contains("Flag checkout"))
    }

    @Test func setAddsMissingMappings() async throws {
        _ = await run("init", folder)
        _ = await run("set", "checkout.in.production.enabled", "false", "-p", project)
        _ = await run("set", "groups", "{}", "-p", project)
        #expect(try directory.text(of: "flags.yaml").contains("\ngroups: {}"))
        _ = await run("compile", project)
        let datafile = try Project(datafile: Array(directory.text(of: "datafiles/production.json").utf8))
        #expect(datafile.flag("checkout")?.experiments.isEmpty == true)
    }

    @Test(arguments: [
        ("chekout.in.production.enabled", #"Did you mean "checkout"?"#), ("chekout", #"Did you mean "checkout"?"#),
        ("audiences.payng", #"Did you mean "paying"?"#), ("groups.g.traffic", #"the file has no "groups""#),
        ("environments.prodution.sdk_key", #"Did you mean "production"?"#),
        ("experiments.e", #"the file has no "experiments""#), ("holdouts.h.traffic", #"the file has no "holdouts""#),
        ("checkout.variations.shrt.enabled", #"Did you mean "short"?"#),
        ("", #"turnout: "" is not the path of a value"#), ("chekout", #""flags" has no "chekout""#),
        ("checkout.variables.titel.default", #"Did you mean "title"?"#),
    ]) func setMakesUpNoNames(path: String, message: String) async throws {
        _ = await run("init", folder)
        let before = try directory.text(of: "flags.yaml")
        let errors = await run("set", path, "false", "-p", project, exitCode: 1).errors
        #expect(errors.contains(message), "\(errors)")
        #expect(try directory.text(of: "flags.yaml") == before)
    }

    @Test func projectsDoNotShareALock() async throws {
        _ = await run("init", folder)
        _ = await run("compile", project)
        let other = try directory.text(of: "flags.yaml").replacing("project: shop", with: "project: bank")
        try directory.write(other, to: "bank.yaml")
        let lock = try directory.text(of: "turnout.lock")
        let errors = await run("compile", folder + "/bank.yaml", exitCode: 1).errors
        #expect(errors.contains("the lock belongs to the project \"shop\""))
        #expect(try directory.text(of: "turnout.lock") == lock)
        try Data().write(to: URL(filePath: folder + "/turnout.lock"))
        #expect(await run("compile", project, exitCode: 1).errors.contains("the lock is empty"))
    }

    @Test func environmentsCannotNameFilesOutsideTheFolder() async throws {
        try Data("project: a\nenvironments: {../escaped: {}}\nflags: {}\n".utf8).write(to: URL(filePath: project))
        let errors = await run("compile", project, exitCode: 1).errors
        let message = "\(project):2:16: error: the environment \"../escaped\" cannot name a file"
        #expect(errors.contains(message), "\(errors)")
        let findings = await run("lint", project, exitCode: 3).output
        #expect(findings.contains(message) && findings.contains("[environment-file-name]"), "\(findings)")
        #expect(!FileManager.default.fileExists(atPath: folder + "/datafiles"))
    }

    @Test func errorsNameFileLineAndColumn() async throws {
        try Data(
            "project: shop\nenviroments: {a: {}}\nflags:\n  x: {rules: [{delivery: d, serve: onn}]}\n".utf8
        ).write(to: URL(filePath: project))
        let result = await run("compile", project, exitCode: 1)
        #expect(result.errors.contains("\(project):2:1: error: unknown key \"enviroments\""))
        #expect(result.errors.contains("errors; nothing was done"))
        let github = await run("lint", project, "--output", "github", exitCode: 3).output
        #expect(github.hasPrefix("::error file=\(project),line=2,col=1,title=unknown-key::"))
    }

    @Test func standardInputIsNamedAndReadOnce() async throws {
        try Data("project: shop\nenviroments: {a: {}}\n".utf8).write(to: URL(filePath: project))
        let findings = await RunTool.output(of: ["lint", "-"], exitCode: 3, input: project).output
        #expect(findings.contains("standard input:2:1: error: unknown key"), "\(findings)")
        for line in [["lint", "-", "-"], ["diff", "-", "-"]] {
            _ = await RunTool.output(of: line, exitCode: 2, input: project)
        }
    }

    @Test(arguments: ["text", "json", "github", "sarif"])
    func aSyntaxErrorIsAFindingAndTheOtherFilesAreChecked(format: String) async throws {
        let (bad, other) = (folder + "/bad.yaml", folder + "/other.yaml")
        try Data("project: shop\nflags: {a: [}\n".utf8).write(to: URL(filePath: bad))
        try Data("project: shop\nenviroments: {a: {}}\n".utf8).write(to: URL(filePath: other))
        let output = await run("lint", bad, other, "--output", format, exitCode: 3).output
        let place =
            switch format {
            case "text": "\(bad):2:"
            case "json": #""line":2"#
            case "github": "::error file=\(bad),line=2,"
            default: #""startLine":2"#
            }
        #expect(output.contains(place) && output.contains("syntax"), "\(output)")
        #expect(output.contains(other) && output.contains("unknown-key"), "\(output)")
    }

    @Test func lintReadsDatafilesToo() async throws {
        let findings = await run("lint", Self.shop, "--output", "json", "--fail-on", "error").output
        #expect(try JSONValue(parsing: findings)["findings"] != nil)
        let codes = await run("lint", "--codes").output
        #expect(codes.contains("rule-unreachable"))
    }

    @Test func manualPagesAreWrittenForAllCommands() async throws {
        _ = await run("completions", "--manual", folder)
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(pages.contains("turnout.1") && pages.contains("turnout-lint.1"))
        #expect(try directory.text(of: "turnout-lint.1").contains(".TH TURNOUT-LINT 1"))
        for page in pages {
            #expect(
                try directory.text(of: page).contains(".SH EXIT STATUS\n.PP\n0 on success, 1 if the command failed"))
        }
    }
}
