/// What commands read when the command line leaves it out, or names a commit.
@Suite(.blocking) struct FilesAtHandTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private var folder: String { directory.path }

    private func run(_ line: String, exitCode: Int32 = 0) async -> (output: String, errors: String) {
        await RunTool.output(of: line.split(separator: " ").map(String.init), exitCode: exitCode, in: folder)
    }

    private func git(_ line: String) throws {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        let words = line.split(separator: " ").map(String.init)
        _ = try ChildProcess.output(of: "git", ["-C", folder] + identity + words)
    }

    @Test func commandsFindTheProjectFile() async throws {
        _ = await run("init")
        for line in ["decide --user ada", "explain --user ada", "inspect"] {
            let (output, errors) = await run(line + " --environment production")
            #expect(output.contains("checkout"), "\(line)")
            #expect(errors.contains("reads flags.yaml, because --datafile is not given"), "\(line)")
        }
        #expect(await run("inspect flags.yaml -e development").output.contains("checkout_developers"))
    }

    @Test func aMissingFileAndAnUnknownEnvironmentAreExplained() async throws {
        let missing = await run("inspect", exitCode: 2).errors
        #expect(missing.contains("neither flags.yaml, which `turnout init` writes, nor datafiles.\nTry"))
        _ = await run("init")
        for line in ["inspect -e prod", "serve --environment prod", "compile -e prod"] {
            let errors = await run(line, exitCode: 1).errors
            let problem = """
                turnout: flags.yaml: there is no environment "prod", only production, development
                  Did you mean "production"?

                """
            #expect(errors.hasSuffix(problem), "\(line): \(errors)")
        }
    }

    @Test func aFlagThatIsOffSaysSo() async throws {
        _ = await run("init")
        _ = await run("set checkout.in.production.enabled false")
        let table = await run("decide --user ada -e production --output table").output
        #expect(table.contains("turned off in production") && table.contains("everyone else"))
        #expect(!table.contains("default-rollout"))
    }

    @Test func commandsFindTheOnlyDatafile() async throws {
        _ = await run("init")
        _ = await run("compile")
        try FileManager.default.removeItem(atPath: folder + "/flags.yaml")
        #expect(await run("inspect", exitCode: 1).errors.contains("there are 2 datafiles: datafiles/development"))
        try FileManager.default.removeItem(atPath: folder + "/datafiles/development.json")
        #expect(await run("inspect").output.contains("checkout_ab"))
        #expect(await run("inspect a.json -d b.json", exitCode: 2).errors.contains("exclude each other"))
        let errors = await run("inspect a.json b.json", exitCode: 2).errors
        #expect(errors.contains("reads one file, and 'b.json' is a second one"))
    }

    @Test func commitsStandForTheFilesInThem() async throws {
        _ = await run("init")
        _ = await run("compile")
        try git("init --quiet --initial-branch=main")
        try git("add .")
        try git("commit --quiet -m first")
        _ = await run("set checkout.rules.checkout_ab.traffic 60%")
        let (output, errors) = await run("diff main")
        #expect(output.contains("traffic 50% → 60%"))
        #expect(errors.contains("compares flags.yaml in main with flags.yaml"))
        let impact = await run("impact HEAD -e production --population 1000")
        #expect(impact.output.contains("of 1,000 users"))
        #expect(impact.output.contains("flags.yaml in HEAD"))
        _ = await run("compile")
        let datafile = await run("impact main datafiles/production.json --population 1000").output
        #expect(datafile.contains("datafiles/production.json in main"))
        try git("commit --quiet -am second")
        #expect(await run("diff main~1 main").output == output)
        #expect(await run("diff main", exitCode: 0).output == "no differences\n")
        #expect(await run("diff main other.yaml", exitCode: 1).errors.contains("main: has no file other.yaml"))
        #expect(await run("diff nowhere", exitCode: 1).errors.contains("neither a file nor a commit"))
        #expect(await run("diff flags.yaml", exitCode: 2).errors.contains("NEW is missing"))
        #expect(await run("diff nowhere flags.yaml", exitCode: 1).errors.contains("neither a file nor a commit"))
    }

    @Test(arguments: ["lint", "compile", "add flag a", "set a.else on"])
    func anotherFolderIsNamed(line: String) async {
        let errors = await run(line, exitCode: 1).errors
        #expect(errors.contains("flags.yaml: is not in this folder, /"), "\(errors)")
        #expect(await run("compile .", exitCode: 1).errors.contains(".: is a folder\n  Name the file in it"))
    }

    @Test func whyAWordIsNoCommitIsSaid() async throws {
        _ = await run("init")
        #expect(await run("diff HEAD", exitCode: 1).errors.contains("in no git repository"))
        let withoutGit = await RunTool.output(
            of: ["diff", "HEAD"], exitCode: 1, environment: ["PATH": folder], in: folder)
        #expect(withoutGit.errors.contains("git is not installed"), "\(withoutGit.errors)")
        try git("init --quiet")
        #expect(await run("impact HEAD flags.yaml", exitCode: 1).errors.contains("has no commit yet"))
    }

    @Test func aTokenIsShownOnceAndItsHashKept() async throws {
        let (output, errors) = await run("token new --scope read,flags")
        let token = output.trimmingCharacters(in: .newlines)
        #expect(token.count >= 43 && errors.contains("token-1 with the scopes read, flags"))
        _ = await run("token new --scope users --name ops")
        let file = try String(contentsOfFile: folder + "/tokens.yaml", encoding: .utf8)
        #expect(!file.contains(token) && file.contains("token-1") && file.contains("ops"))
        let hash = try ChildProcess.output(of: "sha256sum", [], input: Data(token.utf8)).prefix(64)
        #expect(file.contains(hash))
        #expect(await run("token new -s read --name ops", exitCode: 1).errors.contains("ops already"))
        #expect(await run("token new --scope all", exitCode: 2).errors.contains("one of read, flags"))
    }
}
