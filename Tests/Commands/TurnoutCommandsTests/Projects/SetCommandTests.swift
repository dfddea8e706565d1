/// Edits of a project file from the outside.
@Suite struct SetCommandTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private var folder: String { directory.path }
    private var project: String { folder + "/flags.yaml" }

    init() async { _ = await run("init", directory.path) }

    private func text() throws -> String { try String(contentsOfFile: project, encoding: .utf8) }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: project)) }

    private static let allowList = "checkout.rules.checkout_ab.allow_list"

    @Test func errorsQuoteTheEditedTextBecauseItIsInNoFile() async throws {
        try write(
            """
            project: shop
            environments: {production: {}}
            attributes: [plan, orders]
            audiences:
              paying: {plan: premium}
            flags:
              checkout:
                variations: {on: {}}
                rules:
                  - delivery: rest
                    serve: on
                    audience: paying

            """)
        let before = try text()
        let errors = await run("set", "audiences", "{regulars: {orders: {ge: 10}}}", "-p", project, exitCode: 1).errors
        #expect(errors.contains("\(project) as edited:11:19: error: unknown audience \"paying\""), "\(errors)")
        #expect(errors.contains("\n    11 |         audience: paying\n"))
        #expect(errors.contains("\(project): would have 1 error; nothing was written\n"))
        #expect(try text() == before)
    }

    @Test func aValueWithWhichTheProjectDoesNotCompileIsNotWritten() async throws {
        _ = await run("compile", project)
        let before = try text()
        let errors = await run("set", "project", "bank", "-p", project, exitCode: 1).errors
        #expect(errors.contains("the lock belongs to the project \"shop\""), "\(errors)")
        #expect(errors.contains("would have 1 error; nothing was written"))
        #expect(try text() == before)
    }

    /// Otherwise a project whose lock is another's could not be corrected by command.
    @Test func errorsThatTheProjectHasAlreadyDoNotKeepItFromBeingEdited() async throws {
        _ = await run("compile", project)
        try write(text().replacing("project: shop", with: "project: bank"))
        _ = await run("set", "checkout.rules.checkout_ab.traffic", "60%", "-p", project)
        #expect(try text().contains("traffic: 60%"))
        _ = await run("set", "project", "shop", "-p", project)
        _ = await run("compile", project)
    }

    @Test func anErrorInAValueHasItsPlaceInTheValue() async throws {
        let before = try text()
        let errors = await run("set", "checkout.else", "{serve: off", "-p", project, exitCode: 1).errors
        let start = "turnout: line 1, column "
        #expect(errors.hasPrefix(start) && errors.contains("of the value \"{serve: off\": "), "\(errors)")
        #expect(errors.contains("nothing was changed"))
        #expect(try text() == before)
    }

    @Test(arguments: [
        (
            "checkout.in.production.rules.checkout_ab.traffic", "60%",
            "\"checkout.in.production\" has no rules of its own; the shared rule is \"checkout.rules.checkout_ab\""
        ), ("banner.rules.beta.traffic", "10%", "\"banner\" has no rule \"beta\""),
        ("checkout.rules.checkout_ab.traffic", "0.6", "write 60% or 0.6%"),
    ]) func whatARuleLacksIsSaid(path: String, value: String, problem: String) async {
        _ = await run("add", "flag", "banner", "-p", project)
        let errors = await run("set", path, value, "-p", project, exitCode: 1).errors
        #expect(errors.contains(problem), "\(errors)")
    }

    @Test func theKeyOfAFlagMayHaveDots() async throws {
        _ = await run("add", "flag", "a.b", "-p", project)
        _ = await run("set", "a.b.else", "on", "-p", project)
        #expect(try text().hasSuffix("  a.b:\n    variations: {on: {}}\n    else: on\n"))
    }

    @Test func usersAreAddedToAnAllowListAndRemoved() async throws {
        let before = try text()
        try #require(!before.contains("allow_list"))
        _ = await run("set", Self.allowList + ".short", "--add", "ada", "--add", "grace", "-p", project)
        #expect(try text().contains("allow_list: {short: [ada, grace]}"))
        _ = await run("set", Self.allowList + ".short", "-a", "ada", "-a", "linus", "-r", "grace", "-p", project)
        #expect(try text().contains("allow_list: {short: [ada, linus]}"))
        let twice = await run("set", Self.allowList + ".off", "--add", "ada", "-p", project, exitCode: 1).errors
        #expect(twice.contains("user \"ada\" is in the allow list twice"), "\(twice)")
        let misspelt = await run("set", Self.allowList + ".short", "--remove", "linux", "-p", project, exitCode: 1)
            .errors
        #expect(misspelt.contains("has no element linux") && misspelt.contains("Did you mean \"linus\"?"))
        let value = await run("set", "checkout.rules.checkout_ab.traffic", "--add", "5%", "-p", project, exitCode: 1)
            .errors
        #expect(value.contains("is not a list"))
        _ = await run("set", Self.allowList + ".short", "ada", "--add", "tim", "-p", project, exitCode: 2)
        _ = await run("set", Self.allowList + ".short", "-p", project, exitCode: 2)
    }

    @Test func elementsThatAreMappingsAreFound() async throws {
        let place = "checkout.rules.checkout_ab.metrics"
        let metric = "{metric: purchase.total, direction: decrease}"
        let before = try text()
        for _ in 1...2 { _ = await run("set", place, "--add", metric, "-p", project) }
        #expect(try text() == before.replacing("purchase.revenue]", with: "purchase.revenue, \(metric)]"))
        let reordered = "{direction: decrease, metric: purchase.total}"
        _ = await run("set", place, "--remove", reordered, "-p", project)
        #expect(try text() == before)
    }

    @Test func aListKeepsItsStyleAndComments() async throws {
        let list =
            "allow_list:\n          short:\n            - ada  # tests\n            - grace\n        traffic: 50%"
        try write(text().replacing("traffic: 50%", with: list))
        let before = try text()
        try #require(before.contains(list))
        _ = await run("set", Self.allowList + ".short", "--add", "linus", "-p", project)
        #expect(try text() == before.replacing("- grace\n", with: "- grace\n            - linus\n"))
    }

    @Test func aProjectOnStandardInputIsWrittenToStandardOutput() async throws {
        let before = try text()
        let line = ["set", "checkout.rules.checkout_ab.traffic", "60%", "-p", "-"]
        let edited = await RunTool.output(of: line, in: folder, input: project)
        #expect(
            edited.output == before.replacing("traffic: 50%", with: "traffic: 60%")
                && !edited.errors.contains("turnout"))
        let promote = ["promote", "development", "production", "-p", "-"]
        let promoted = await RunTool.output(of: promote, in: folder, input: project)
        #expect(promoted.errors.hasSuffix("\npromoted checkout\n") && promoted.output.contains("serve: on"))
        #expect(promoted.errors.hasPrefix("flag checkout\n"))
        #expect(promoted.output != before)
        let bad = ["set", "checkout.rules.checkout_ab.traffic", "200%", "-p", "-"]
        let refused = await RunTool.output(of: bad, exitCode: 1, in: folder, input: project)
        #expect(!refused.output.contains("project: shop"))
        #expect(refused.errors.contains("standard input as edited:"), "\(refused.errors)")
        #expect(try text() == before)
    }

    @Test func whatAnEditMeansIsPrintedAsDiffDoes() async throws {
        let before = try text()
        let path = "checkout.rules.checkout_ab.traffic"
        let expected = "flag checkout\n  experiment checkout_ab: traffic 50% → 60% (production)\n"
        #expect(await run("set", path, "60%", "-p", project).output == expected)
        try write(text().replacing("traffic: 60%", with: "traffic: 50%"))
        try #require(try text() == before)
        let result = await run("set", path, "60%", "-p", project, "--output", "json").output
        #expect(result.contains("\"detail\":\"traffic 50% → 60%\""), "\(result)")
        #expect(await run("set", path, "60%", "-p", project).output == "nothing was changed\n")
        let ignore = await run("set", "checkout.ignore", "[unused-variation]", "-p", project).output
        #expect(ignore == "changed, with the same meaning\n")
    }

    /// With a lock, and before the first compilation.
    @Test(arguments: [false, true]) func anotherTypeOfAVariableNeedsForce(isCompiled: Bool) async throws {
        if isCompiled { _ = await run("compile", project) }
        let before = try text()
        let path = "checkout.variables.steps"
        let errors = await run("set", path, "hello", "-p", project, exitCode: 1).errors
        #expect(errors.contains("was integer, and is string now; "), "\(errors)")
        #expect(errors.contains("[variable-type]"))
        #expect(errors.contains("nothing was written"))
        #expect(try text() == before)
        #expect(await run("set", path, "4", "-p", project).output.contains("variable steps: default 3 → 4"))
        let output = await run("set", path, "hello", "-p", project, "--force").output
        #expect(output.contains("type integer → string"), "\(output)")
        guard isCompiled else { return }
        let lint = await run("lint", project, exitCode: 3).output
        #expect(lint.contains("error: the variable \"steps\" of flag checkout was integer"), "\(lint)")
        // The error that the project has already does not keep it from being edited.
        _ = await run("set", "checkout.rules.checkout_ab.traffic", "60%", "-p", project)
        let compiled = await run("compile", project, exitCode: 1).errors
        #expect(compiled.contains("`turnout compile --force`"), "\(compiled)")
        _ = await run("compile", project, "--force")
        _ = await run("lint", project)
        _ = await run("compile", project, "--check")
    }

    /// `rules-unused` took an environment that is turned off for one with rules of its own.
    @Test func lintAcceptsTheKillSwitch() async throws {
        _ = await run("compile", project)
        let output = await run("set", "checkout.in.production.enabled", "false", "-p", project).output
        #expect(output == "flag checkout\n  turned off (production)\n")
        #expect(await run("lint", project).output == "no findings\n")
    }

    @Test func promoteSaysWhatChangesAndCanLeaveItAtThat() async throws {
        let before = try text()
        let line = ["promote", "development", "production", "-p", project]
        let dryRun = await RunTool.output(of: line + ["--dry-run"]).output
        #expect(dryRun.contains("delivery checkout_developers added"), "\(dryRun)")
        #expect(dryRun.hasSuffix("\nwould promote checkout; nothing was written\n"))
        #expect(try text() == before)
        let json = await RunTool.output(of: line + ["--dry-run", "-o", "json"]).output
        #expect(try JSONValue(parsing: json)["isWritten"] == .bool(false))
        let promoted = await RunTool.output(of: line).output
        #expect(promoted == dryRun.replacing("would promote checkout; nothing was written", with: "promoted checkout"))
        #expect(try text() != before)
    }

    @Test func theTemporaryFileOfAKilledProcessIsRemoved() async throws {
        let names = ["flags.yaml.4711.tmp", "flags.yaml.tmp", "other.yaml.4711.tmp"]
        for name in names { try Data("half".utf8).write(to: URL(filePath: folder + "/" + name)) }
        _ = await run("set", "checkout.rules.checkout_ab.traffic", "60%", "-p", project)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == ["flags.schema.json", "flags.yaml", "flags.yaml.tmp", "other.yaml.4711.tmp"])
    }

    @Test func aProcessThatIsKilledWhileItWritesLeavesTheProjectAsItWas() async throws {
        let before = try text()
        await #expect(processExitsWith: .signal(SIGKILL)) { [project = project as String] in
            try OutputFile.write([(project, Array("new".utf8))]) { _, _ in kill(getpid(), SIGKILL) == 0 }
        }
        #expect(try text() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
        _ = await run("set", "checkout.rules.checkout_ab.traffic", "60%", "-p", project)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["flags.schema.json", "flags.yaml"])
    }
}
