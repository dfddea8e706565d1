/// Commands name what they cannot look at, and exit with 3 for it.
@Suite struct CarriedPartTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private let experiment = """
        {"id":"17","key":"ab","layerId":"18","status":"Running","audienceIds":[],"forcedVariations":{"ada":"?"},\
        "variations":[{"id":"71","key":"on"}],"trafficAllocation":[{"entityId":"71","endOfRange":5000}]}
        """

    private func write(_ name: String, experiments: String, environment: String = "production") throws {
        let text = """
            {"version":"4","projectId":"1","accountId":"2","revision":"3","groups":[],"anonymizeIP":true,
            "environmentKey":"\(environment)","audiences":[],"attributes":[],"events":[],"rollouts":[],
            "experiments":[\(experiments)],
            "featureFlags":[{"id":"5","key":"f","experimentIds":["17"],"rolloutId":"","variables":[]}]}
            """
        try Data(text.utf8).write(to: directory.url.appending(path: name))
    }

    private func run(_ arguments: [String], exitCode: Int32) async -> (output: String, errors: String) {
        await RunTool.output(of: arguments, exitCode: exitCode, in: directory.path)
    }

    @Test func carriedMemberIsNamedByImportLintAndDiff() async throws {
        try write("old.json", experiments: experiment)
        try write("new.json", experiments: experiment.replacing("\"?\"", with: "\"??\""))
        let notes = await run(["import", "old.json"], exitCode: 0).errors
        #expect(
            notes.contains("old.json:3:89: note: experiment ab of flag f: forcedVariations kept as in the datafile"))
        #expect(notes.contains("because a user gets a variation that the rule lacks"))
        let lint = await run(["lint", "--output", "json"], exitCode: 3).output
        #expect(lint.contains(#""code":"not-checked""#) && lint.contains(#""line":"#))
        #expect(await run(["lint", "old.json"], exitCode: 3).output.contains("[not-checked]"))
        let diff = await run(["diff", "old.json", "new.json"], exitCode: 3).output
        #expect(diff.contains("not compared: forcedVariations of experiment ab of flag f"))
        #expect(await run(["diff", "old.json", "old.json"], exitCode: 0).output == "no differences\n")
        let json = await run(["diff", "old.json", "new.json", "-o", "json"], exitCode: 3).output
        #expect(json.contains(#""notCompared":["forcedVariations of experiment ab of flag f"]"#))
    }

    /// Programs activate such an experiment, which no flag decides.
    @Test func experimentWithoutFlagIsNotCompared() async throws {
        let other = experiment.replacing("17", with: "27").replacing("\"ab\"", with: "\"alone\"")
        try write("old.json", experiments: experiment + "," + other)
        try write("new.json", experiments: experiment + "," + other.replacing("5000", with: "7000"))
        let impact = await run(["impact", "old.json", "new.json", "-n", "100"], exitCode: 3).output
        #expect(impact.contains("Different, but not compared: experiment without a flag alone"))
        for format in ["json", "markdown"] {
            let report = await run(["impact", "old.json", "new.json", "-n", "9", "-o", format], exitCode: 3).output
            #expect(report.contains("experiment without a flag alone"))
        }
        #expect(
            !(await run(["impact", "old.json", "old.json", "-n", "9"], exitCode: 0).output.contains("not compared")))
    }

    @Test func importRefusesWhatWouldNotCompile() async throws {
        try write("export.json", experiments: experiment, environment: "../up")
        let errors = await run(["import", "export.json", "--into", "project"], exitCode: 1).errors
        #expect(errors.contains("the project file would not compile: flags.") && errors.contains("cannot name a file"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/project"))
        #expect(
            await run(["import", "export.json", "-e", "up", "--into", "project"], exitCode: 0).errors.contains("note"))
    }

    /// The vendor's Python client has no configuration with a flag that names a missing experiment.
    @Test func compileRefusesWhatClientsCannotRead() async throws {
        try Data(
            """
            {"project": "p", "environments": {"production": {}},
            "flags": {"f": {"datafile": {"experimentIds": ["17"]}}}}
            """.utf8
        ).write(to: directory.url.appending(path: "flags.json"))
        let errors = await run(["compile", "flags.json"], exitCode: 1).errors
        #expect(
            errors.contains("flags.json:2:11: error:")
                && errors.contains("experiment 17 of flag f, which does not exist"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/datafiles"))
    }

    @Test func reportOnAnEmptyFolderIsRefused() async throws {
        try write("old.json", experiments: experiment)
        let arguments = ["generate", "--datafile", "old.json", "--report", "."]
        #expect(await run(arguments, exitCode: 1).errors.contains(".: has no Swift file; nothing was reported"))
    }
}
