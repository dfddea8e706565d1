/// `turnout impact` as a process: its reports and exit codes.
@Suite struct ImpactCommandTests {
    private let directory = TemporaryDirectory(isCreated: true)

    /// The paths of a datafile and an edit in which users cross.
    private func datafiles(_ flagCount: Int = 1) throws -> [String] {
        var (old, new) = (ImpactDatafile(), ImpactDatafile())
        old.flags = (1...flagCount).map { .init($0) }
        new.flags = old.flags
        for index in new.flags.indices { new.flags[index].ends[0] = 4_000 }
        return [try directory.write(old.text, to: "old.json"), try directory.write(new.text, to: "new.json")]
    }

    @Test(arguments: [("crossing", 3), ("moved", 3), ("", 0)] as [(String, Int32)])
    func aCheckFailsWithItsExitCode(check: String, code: Int32) async throws {
        let line = ["impact"] + (try datafiles()) + ["-n", "500"] + (check.isEmpty ? [] : ["--fail-on", check])
        let report = await RunTool.output(of: line, exitCode: code).output
        #expect(report.contains("from one arm of an experiment to another:"))
    }

    @Test func theLockOfALaterEditIsNotTakenForThatOfAnOldProject() async throws {
        let project = { (split: String) in
            """
            {"project": "shop", "environments": {"production": {}}, "flags": {"f": {
            "variations": {"a": {}, "b": {}}, "rules": [{"experiment": "e", "split": \(split)}]}}}
            """
        }
        let old = project(#"{"a": 50, "b": 50}"#)
        let flags = try directory.write(old, to: "flags.json")
        _ = await RunTool.output(of: ["compile", flags])
        let before = try directory.write(old, to: "before.json")
        _ = try directory.write(project(#"{"a": 90, "b": 10}"#), to: "flags.json")
        let line = ["impact", before, flags, "-n", "1000"]
        // The edit is not compiled yet, so the lock is still that of the old project.
        #expect(await RunTool.output(of: line).output.contains("of 1,000 users"))
        _ = await RunTool.output(of: ["compile", flags])
        let errors = await RunTool.output(of: line, exitCode: 1).errors
        #expect(errors.contains("turnout.lock has ids or traffic of another edit"), "\(errors)")
        #expect(errors.contains("compare the datafiles"))
    }

    @Test func anEnvironmentNeedsAProjectFile() async throws {
        let line = ["impact"] + (try datafiles()) + ["--environment", "production"]
        #expect(await RunTool.output(of: line, exitCode: 1).errors.contains("is a datafile"))
    }

    @Test(arguments: [("flag_1", 3), ("flag_2", 0)] as [(String, Int32)])
    func aChangedBanditOfANamedFlagFailsTheCheck(flag: String, code: Int32) async throws {
        var datafile = ImpactDatafile()
        datafile.flags = [.init(1), .init(2)]
        let files = try [4_000, 5_000].map { traffic in
            let bandit = #""key": "test_1", "cmab": {"attributeIds": [], "trafficAllocation": \#(traffic)},"#
            return try directory.write(
                datafile.text.replacing(#""key": "test_1","#, with: bandit), to: "\(traffic).json")
        }
        let line = ["impact"] + files + ["-n", "100", "--flag", flag]
        let report = await RunTool.output(of: line, exitCode: code).output
        #expect(report.contains("bandit test_1") == (code == 3), "\(report)")
    }

    /// Who moves is to be seen before `compile --force` accepts the type.
    @Test func aVariableOfAnotherTypeIsCompared() async throws {
        func project(_ value: String) -> String {
            """
            {"project": "shop", "environments": {"production": {}},
            "flags": {"f": {"variables": {"steps": \(value)}, "else": "off"}}}
            """
        }
        let flags = try directory.write(project("3"), to: "flags.json")
        _ = await RunTool.output(of: ["compile", flags])
        _ = try directory.write(project("\"three\""), to: "flags.json")
        let datafile = directory.path + "/datafiles/production.json"
        let report = await RunTool.output(of: ["impact", datafile, flags, "-n", "10"]).output
        #expect(report.contains("10 of 10 users"), "\(report)")
    }

    @Test func aCheckPassesIfNothingMoves() async throws {
        let old = try datafiles()[0]
        let line = ["impact", old, old, "-n", "100", "--fail-on", "moved"]
        #expect(await RunTool.output(of: line).output.hasPrefix("None of 100 users moves.\n"))
    }

    @Test(arguments: [80, 120]) func linesFitTheTerminal(width: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [width = width as Int, files = try datafiles() as [String]] in
            setenv("COLUMNS", "\(width)", 1)
            unsetenv("NO_COLOR")
            setenv("CLICOLOR_FORCE", width == 80 ? "" : "1", 1)
            StandardStream.reserve()
            exit(await Tool.run(["impact"] + files + ["-n", "500"]))
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("\u{1B}[31m") == (width == 120))
        let plain = output.replacing(/\u{1B}\[\d+m/, with: "")
        // A path in a line is a word that may need more.
        let lines = plain.split(separator: "\n").filter { [path = directory.path] in !$0.contains(path) }
        let widths = lines.map(\.displayWidth)
        #expect(widths.allSatisfy { $0 <= width } && widths.contains { $0 > width - 30 })
    }

    /// The text of a comparison at a width, where flags and variations have long keys.
    private func longKeyReport(width: Int, variations: Int) throws -> String {
        func datafile(_ ends: (Int) -> Int) throws -> Project {
            let keys = (0..<variations).map { "variation_\($0)_with_a_rather_long_key" }
            let arms = keys.enumerated().map { #"{"id": "a\#($0)", "key": "\#($1)", "featureEnabled": true}"# }
            let traffic = keys.indices.map { #"{"entityId": "a\#($0)", "endOfRange": \#(ends($0))}"# }
            return try Project(
                datafile: Array(
                    """
                    {"version": "4", "accountId": "A", "projectId": "P", "revision": "1", "anonymizeIP": true,
                     "groups": [], "events": [], "attributes": [], "audiences": [], "typedAudiences": [],
                     "featureFlags": [{"id": "1", "key": "checkout_redesign_of_the_fourth_quarter",
                      "experimentIds": ["e"], "rolloutId": "", "variables": []}], "rollouts": [],
                     "experiments": [{"id": "e", "key": "checkout_redesign_experiment_2026_q4", "layerId": "l",
                      "status": "Running", "audienceIds": [], "forcedVariations": {},
                      "variations": [\(arms.joined(separator: ","))],
                      "trafficAllocation": [\(traffic.joined(separator: ","))]}]}
                    """.utf8))
        }
        let share = 10_000 / variations
        let projects = try ProjectPair(datafile { ($0 + 1) * share }, datafile { ($0 + 1) * share - share / 2 })
        var count = ImpactCount(projects, exampleLimit: 5)
        for place in 1...2_000 { count.add(User("user-\(place)"), profile: UserProfile(), place: place) }
        let summary = ImpactSummary(count, of: projects, names: ("a.json", "b.json"), source: "users", isSample: true)
        return summary.report.text(width: width)
    }

    @Test(arguments: [(60, 3), (80, 2), (80, 12), (120, 3), (120, 12)])
    func noKeyIsBrokenInATerminal(width: Int, variations: Int) throws {
        let text = try longKeyReport(width: width, variations: variations)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.displayWidth <= width })
        let known = ["checkout_redesign_of_the_fourth_quarter", "checkout_redesign_experiment_2026_q4"]
        let keys = known + (0..<variations).map { "variation_\($0)_with_a_rather_long_key" }
        // Parts of keys are in no other word.
        for word in text.split(whereSeparator: \.isWhitespace).map({ String($0.trimmingPrefix("(")) })
        where word.contains("_") {
            #expect(keys.contains(word.hasSuffix(":") ? String(word.dropLast()) : word), "\(word)")
        }
        // A matrix has at most two parts.
        #expect(text.matches(of: /from ↓ to →/).count == (width >= 80 && variations <= 3 ? 2 : 0))
        for key in keys { #expect(text.contains(key)) }
    }

    @Test(arguments: [80, 140]) func tracesAreBesideEachOtherIfThereIsRoom(width: Int) async throws {
        let files = try datafiles()
        let report = await RunTool.output(of: ["impact"] + files + ["-n", "500", "--output", "json"]).output
        guard case .array(let examples)? = try JSONValue(parsing: report)["examples"],
            case .string(let user)? = examples.first?["user"]
        else { throw CommandError("no user moves") }
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [width = width as Int, line = ["impact"] + files + ["--explain", user] as [String]] in
            setenv("COLUMNS", "\(width)", 1)
            StandardStream.reserve()
            exit(await Tool.run(line))
        }
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        let both = lines.count { $0.matches(of: /flag_1 for "user-\d+"/).count == 2 }
        let single = lines.count { $0.matches(of: /flag_1 for "user-\d+"/).count == 1 }
        #expect(width < 100 ? (both, single) == (0, 2) : (both, single) == (1, 0))
        #expect(lines.allSatisfy { $0.displayWidth <= width || $0.contains(directory.path) })
    }

    @Test func aUserWhoDoesNotMoveIsExplained() async throws {
        let file = try datafiles()[0]
        let line = ["impact", file, file, "--explain", "user-1", "--flag", "flag_1"]
        let text = await RunTool.output(of: line).output
        #expect(text.hasPrefix("No decision differs for \"user-1\".\n\n"), "\(text)")
        #expect(text.matches(of: /flag_1 for "user-1"/).count == 1)
    }

    @Test func aCheckOfNoUsersFails() async throws {
        let users = try directory.write("", to: "users")
        let arguments = ["impact"] + (try datafiles()) + ["--users", users, "--fail-on", "crossing"]
        let result = await RunTool.output(of: arguments, exitCode: 1)
        #expect(result.errors.contains("there are no users in "))
    }

    @Test func anInvalidLineIsReportedAndSkipped() async throws {
        let users = try directory.write("{\"user\":\"a\"}\nnonsense\n{\"user\":\"b\"}\n", to: "users")
        let result = await RunTool.output(of: ["impact"] + (try datafiles()) + ["--users", users], exitCode: 1)
        #expect(result.errors.contains("users:2:1: ") && result.errors.contains("1 of 3 lines was skipped"))
        #expect(result.output.contains("of 2 users"))
    }

    @Test(
        arguments: [
            ("--users u --like u", 2, "--users and --like exclude each other"),
            ("--attributes a --like u", 2, "--attributes and --like exclude each other"),
            ("--users - --like -", 2, "exclude each other"), ("--population 0", 2, "a whole number from 1"),
            ("--flag flag_9", 1, "Did you mean \"flag_1\"?"), ("--explain ada", 1, "They are user-1 to user-100000."),
            ("--explain ada --output json", 2, "--explain and --output json exclude each other"),
            ("--like OLD", 1, "old.json:1:91: "),
        ] as [(String, Int32, String)])
    func mistakesAreExplained(options: String, code: Int32, message: String) async throws {
        let files = try datafiles()
        let options = options.split(separator: " ").map { $0 == "OLD" ? files[0] : String($0) }
        let errors = await RunTool.output(of: ["impact"] + files + options, exitCode: code).errors
        #expect(errors.contains(message), "\(errors)")
    }

    // MARK: Markdown

    private func markdown(_ old: ImpactDatafile, _ new: ImpactDatafile, users: Int) throws -> String {
        let projects = ProjectPair(try old.project, try new.project)
        var count = ImpactCount(projects, exampleLimit: 5)
        for place in 1...users {
            count.add(User("\(place)|`x`\n" + String(repeating: "y", count: 150)), profile: UserProfile(), place: place)
        }
        let names = ("old|@team.json", "new.json")
        return ImpactSummary(count, of: projects, names: names, source: "users", isSample: true).markdown
    }

    @Test func aCommentBeginsWithItsSummary() throws {
        var new = ImpactDatafile()
        new.flags[0].ends[0] = 4_000
        let text = try markdown(ImpactDatafile(), new, users: 200)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("**") && lines[0].hasSuffix("move.**"))
        #expect(text.contains("from one arm of an experiment to another") && text.contains("| from ↓ to → |"))
        // Code hosts find mentions after they have removed backslashes.
        #expect(text.contains("old\\|\\@\u{2060}team.json") && !text.contains("@t"))
        // Keys and ids neither end a cell nor a line.
        let table = lines.filter { $0.hasPrefix("|") }
        let bars = table.map { $0.replacing("\\|", with: "").count { $0 == "|" } }
        #expect(bars.allSatisfy { $0 >= 3 } && table.allSatisfy { $0.hasSuffix("|") })
    }

    /// More variations than a table of Markdown can show.
    @Test func aCommentSaysWhichPartsOfAMatrixItLeavesOut() throws {
        func project(_ shift: Int) throws -> Project {
            let flags = (1...40).map { flag in
                #"{"id": "\#(flag)", "key": "flag_\#(flag)", "experimentIds": ["e\#(flag)"], "rolloutId": "", "#
                    + #""variables": []}"#
            }
            let experiments = (1...40).map { flag in
                let arms = (0..<60).map { #"{"id": "\#(flag)_\#($0)", "key": "arm_\#($0)", "featureEnabled": true}"# }
                let traffic = (0..<60).map {
                    #"{"entityId": "\#(flag)_\#(($0 + shift) % 60)", "endOfRange": \#(($0 + 1) * 166)}"#
                }
                return #"{"id": "e\#(flag)", "key": "test_\#(flag)", "layerId": "l", "status": "Running", "#
                    + #""audienceIds": [], "forcedVariations": {}, "variations": [\#(arms.joined(separator: ","))], "#
                    + #""trafficAllocation": [\#(traffic.joined(separator: ","))]}"#
            }
            return try Project(
                datafile: Array(
                    """
                    {"version": "4", "accountId": "A", "projectId": "P", "revision": "1", "anonymizeIP": true,
                     "groups": [], "events": [], "attributes": [], "audiences": [], "rollouts": [],
                     "featureFlags": [\(flags.joined(separator: ","))],
                     "experiments": [\(experiments.joined(separator: ","))]}
                    """.utf8))
        }
        let projects = ProjectPair(try project(0), try project(7))
        var count = ImpactCount(projects, exampleLimit: 5)
        for place in 1...500 { count.add(User("user-\(place)"), profile: UserProfile(), place: place) }
        let summary = ImpactSummary(count, of: projects, names: ("a", "b"), source: "users", isSample: true)
        let text = summary.markdown
        #expect(text.unicodeScalars.count < ImpactSummary.markdownLimit)
        #expect(text.contains("48 more variations after the change are left out here."))
        #expect(text.contains("more changes are left out here."))
        #expect(text.contains("A comment has no room for the matrices of "))
    }

    @Test func aCommentAlwaysFits() throws {
        var (old, new) = (ImpactDatafile(), ImpactDatafile())
        old.flags = (1...400).map { .init($0) }
        new.flags = old.flags
        for index in new.flags.indices {
            new.flags[index].ends[0] = 5_000
            new.flags[index].title = String(repeating: "ä*", count: 300)
        }
        let text = try markdown(old, new, users: 50)
        #expect(text.unicodeScalars.count < ImpactSummary.markdownLimit)
        let sentence = try #require(text.split(separator: "\n").last { $0.hasPrefix("A comment has no room for ") })
        #expect(sentence.contains("the matrices of ") && !sentence.contains("`flag_399`"))
        #expect(sentence.hasSuffix("`turnout impact` in a terminal prints all."))
        // Each flag has its matrix, or is counted among those that do not.
        let shown = text.matches(of: /### `flag_\d+`/).count
        #expect(sentence.contains("of \(400 - shown) flags: `flag_"))
        #expect(text.contains("from one arm of an experiment to another"))
    }
}
