/// Flags that the command line adds to a project file, and ends.
@Suite struct AddAndArchiveTests {
    private let directory = TemporaryDirectory(isCreated: true)

    private func run(_ line: String, exitCode: Int32 = 0) async -> (output: String, errors: String) {
        let words = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
        return await RunTool.output(of: words, exitCode: exitCode, in: directory.path)
    }

    private func text(_ name: String = "flags.yaml") throws -> String { try directory.text(of: name) }

    // MARK: Adding

    @Test func aFlagFollowsTheOthers() async throws {
        _ = await run("init")
        let before = try text()
        #expect(await run("add flag dark_mode").output == "flag dark_mode\n  added: variations on\n")
        _ = await run("add flag banner --type string --variation off --variation short --variation long")
        let added = """
              dark_mode:
                variations: {on: {}}
              banner:
                variables: {value: ""}
                variations: {short: {}, long: {}}

            """
        #expect(try text() == before + added)
        _ = await run("lint")
        _ = await run("compile")
        #expect(await run("decide --user ada -e production").output.contains("banner"))
    }

    @Test(arguments: zip(["integer", "double", "json"], ["0", "0.0", "{}"]))
    func theValueHasAnEmptyDefault(type: String, value: String) async throws {
        _ = await run("init")
        _ = await run("add flag limit --type \(type)")
        #expect(try text().hasSuffix("  limit:\n    variables: {value: \(value)}\n    variations: {on: {}}\n"))
        _ = await run("compile")
        #expect(try text("turnout.lock").contains(#"["type","variable","limit","value","\#(type)"]"#))
    }

    @Test func aFileWithoutFlagsGetsThem() async throws {
        let project = "project: shop  # ours\nenvironments: {production: {}}\n"
        try directory.write(project, to: "flags.yaml")
        _ = await run("add flag a")
        #expect(try text() == project + "flags:\n  a:\n    variations: {on: {}}\n")
        try directory.write(#"{"project": "shop", "environments": {"production": {}}}"#, to: "flags.json")
        _ = await run("add flag a -p flags.json")
        #expect(try text("flags.json").hasSuffix(#"}, "flags": {"a": {"variations": {"on": {}}}}}"#))
    }

    @Test func nothingIsWrittenInCaseOfAMistake() async throws {
        _ = await run("init")
        let before = try text()
        for (line, exitCode, problem) in [
            ("add flag checkout", Int32(1), "the project has a flag \"checkout\" already"),
            ("add flag a --variation b --variation b", 1, "would have 1 error; nothing was written"),
            ("add flags a", 2, "Did you mean \"flag\"?"), ("add flag", 2, "KEY is missing"),
            ("add flag ''", 2, "the value of KEY is empty"),
            ("add flag a --type text", 2, "it must be one of boolean, string, integer, double, json"),
            ("archive flag chekout", 1, "Did you mean \"checkout\"?"),
            ("set chekcout.enabled false", 1, "Did you mean \"checkout\"?"),
            ("set other.enabled false", 1, "`turnout add flag` adds flags"),
        ] {
            let errors = await run(line, exitCode: exitCode).errors
            #expect(errors.contains(problem), "\(line): \(errors)")
        }
        #expect(try text() == before)
    }

    // MARK: Archiving

    @Test func anArchivedFlagIsOffEverywhere() async throws {
        _ = await run("init")
        let environment = "      development:\n"
        let enabled = environment + "        enabled: true  # for tests\n"
        try directory.write(text().replacing(environment, with: enabled), to: "flags.yaml")
        let before = try text()
        let output = await run("archive flag checkout").output
        #expect(output.contains("experiment checkout_ab: status running → archived"), "\(output)")
        let after = before.replacing("enabled: true  # for tests", with: "enabled: false  # for tests")
            .replacing("purchase.revenue]\n", with: "purchase.revenue]\n        status: archived\n")
        #expect(try text() == after + "    enabled: false\n")
        for environment in ["development", "production"] {
            let decision = await run("decide --user ada -a plan=premium -e \(environment) --output table").output
            #expect(decision.contains("turned off in \(environment)"), "\(decision)")
        }
        #expect(await run("archive flag checkout").output == "nothing was changed\n")
    }
}
