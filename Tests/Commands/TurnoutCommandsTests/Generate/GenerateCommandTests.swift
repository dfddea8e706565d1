/// `turnout generate` from the outside.
@Suite struct GenerateCommandTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized.path
    private static let datafile = root + "/Examples/Shop/datafile.json"
    /// The generated code that the tests of the pages use.
    private static let flags = root + "/Tests/Documentation/Flags.swift"

    private let directory = TemporaryDirectory(isCreated: true)

    private static func run(_ arguments: String..., exitCode: Int32 = 0) async -> (output: String, errors: String) {
        await RunTool.output(of: ["generate"] + arguments, exitCode: exitCode)
    }

    @Test func theCodeOfTheShopIsTheCommittedOne() async throws {
        let code = await Self.run("swift", "--datafile", Self.datafile).output
        #expect(try code == String(contentsOfFile: Self.flags, encoding: .utf8))
        _ = await Self.run("swift", "-d", Self.datafile, "--to", Self.flags, "--check")
    }

    @Test func aFileIsWrittenOnceAndFoundCurrent() async throws {
        let file = directory.path + "/Flags.swift"
        for _ in 0..<2 { _ = await Self.run("swift", "-d", Self.datafile, "--to", file, "--access", "public") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["Flags.swift"])
        _ = await Self.run("swift", "-d", Self.datafile, "--to", file, "--access", "public", "--check")
        _ = await Self.run("swift", "-d", Self.datafile, "--to", file, "--check", exitCode: 3)
    }

    @Test func checkNamesTheFlagsThatDiffer() async throws {
        let file = directory.path + "/Flags.swift"
        let code = try String(contentsOfFile: Self.flags, encoding: .utf8)
        let old = code.replacing("?? 4\n", with: "?? 5\n").replacing("// MARK: dark_mode", with: "// MARK: dimmed")
        try Data(old.utf8).write(to: URL(filePath: file))
        let errors = await Self.run("swift", "-d", Self.datafile, "--to", file, "--check", exitCode: 3).errors
        #expect(
            errors == """
                turnout: \(file): is out of date: dark_mode was added, dimmed was removed, recommendations \
                changed
                  Run the same command without --check, and commit the file.

                """)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == old)
    }

    // MARK: Project files

    /// A project with two environments, of which one has another experiment.
    private static let project = #"""
        {"project": "300", "account": "200",
         "environments": {"production": {"sdk_key": "p"}, "staging": {"sdk_key": "s"}},
         "flags": {"checkout": {
            "description": "The checkout.",
            "variables": {"steps": 3, "layout": {"type": "string", "default": "classic",
                "description": "How the page looks."}},
            "variations": {"short": {"variables": {"steps": 1}}, "beta": {"variables": {"steps": 2}}},
            "rules": [{"experiment": "checkout_test", "split": {"off": 50, "short": 50}}],
            "in": {"staging": {"rules": [{"experiment": "beta_test", "split": {"off": 50, "beta": 50}}]}}}}}
        """#

    private func projectFile() throws -> String {
        let file = directory.path + "/flags.json"
        try Data(Self.project.utf8).write(to: URL(filePath: file))
        return file
    }

    @Test func aProjectFileGivesTypesVariationsAndComments() async throws {
        let file = try projectFile()
        let code = await Self.run("swift", "-d", file).output
        #expect(code.contains("/// The checkout.") && code.contains("/// How the page looks."))
        #expect(code.contains("steps: Int") && code.contains("layout: String"))
        #expect(code.contains("case short") && code.contains("case beta"))
        let production = await Self.run("swift", "-d", file, "-e", "production").output
        #expect(production.contains("case short") && !production.contains("case beta"))
    }

    @Test func anEnvironmentMustBeOneOfAProjectFile() async throws {
        let unknown = await Self.run("swift", "-d", try projectFile(), "-e", "prod", exitCode: 1).errors
        #expect(unknown.contains("there is no environment \"prod\""))
        let datafile = await Self.run("swift", "-d", Self.datafile, "-e", "demo", exitCode: 1).errors
        #expect(datafile.contains("is a datafile, which has one environment"))
    }

    @Test func theReportReadsProjectFiles() async throws {
        let source = directory.path + "/A.swift"
        try Data(#"ada.decide("checkout"); ada.decide("chekout")"#.utf8).write(to: URL(filePath: source))
        let file = try projectFile()
        let report = await Self.run("--report", "-d", file, source, "--check", exitCode: 3).output
        #expect(report.hasPrefix("The code in 1 file uses 1 of 1 flags.\n"))
        #expect(report.contains("Missing, but used\n  chekout\n"))
    }

    /// Except for the descriptions, which the datafile of the shop lacks.
    @Test func theProjectOfTheShopGivesTheSameCodeAsItsDatafile() async throws {
        let code = await Self.run("swift", "-d", Self.root + "/Examples/Shop/flags.yaml").output
        let expected = try String(contentsOfFile: Self.flags, encoding: .utf8)
        func withoutComments(_ code: String) -> [Substring] {
            code.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("///") }
        }
        #expect(withoutComments(code) == withoutComments(expected))
        #expect(code.contains("/// The checkout in fewer steps."))
    }

    @Test func theReportReadsFolders() async throws {
        let sources = directory.url.appending(path: "Sources/.build")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data(#"ada.decide("dark_mode")"#.utf8).write(to: sources.appending(path: "../A.swift"))
        try Data(#"ada.decide("search_ranking")"#.utf8).write(to: sources.appending(path: "B.swift"))
        try Data(#"ada.decide("search_ranking")"#.utf8).write(to: sources.appending(path: "../C.txt"))
        let report = await Self.run("--report", "-d", Self.datafile, directory.path).output
        #expect(report.hasPrefix("The code in 1 file uses 1 of 7 flags.\n"))

        let json = await Self.run("--report", "-d", Self.datafile, directory.path, "--output", "json").output
        let document = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect((document?["unused"] as? [String])?.count == 6)
        #expect((document?["stale"] as? [Any])?.isEmpty == true)
    }

    @Test func checkFailsIfTheDatafileLacksAFlag() async throws {
        let file = directory.path + "/A.swift"
        try Data(#"ada.decide("dark_mod")"#.utf8).write(to: URL(filePath: file))
        let report = await Self.run("--report", "--check", "-d", Self.datafile, file, exitCode: 3).output
        #expect(report.contains("dark_mod\n    \(file):1: decide(\"dark_mod\")"))
    }

    @Test(arguments: [
        ["generate", "-d", "F"], ["generate", "kotlin", "-d", "F"], ["generate", "swift", "swift", "-d", "F"],
        ["generate", "swift", "-d", "F", "--check"], ["generate", "--report", "-d", "F"],
        ["generate", "--report", "-d", "F", "Sources", "--output", "yaml"],
        ["generate", "--report", "-d", "F", "Sources", "--access", "public"],
        ["generate", "--report", "-d", "F", "Sources", "--to", "F.json"],
        ["generate", "swift", "-d", "F", "--output", "F.swift"], ["generate", "swift", "-d", "F", "--output", "json"],
    ]) func contradictionsAreUsageErrors(arguments: [String]) async {
        let errors = await RunTool.output(of: arguments, exitCode: 2).errors
        #expect(errors.hasPrefix("turnout generate: "))
    }
}
