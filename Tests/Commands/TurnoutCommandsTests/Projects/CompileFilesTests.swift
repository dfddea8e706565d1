/// The files of `turnout compile` belong together: a lock, and datafiles made with it.
@Suite struct CompileFilesTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private var folder: String { directory.path }
    private var project: String { folder + "/flags.yaml" }

    private static let outputs = ["turnout.lock", "datafiles/production.json", "datafiles/development.json"]

    /// The contents of all files below the folder, by path.
    private func files() throws -> [String: Data] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return paths.reduce(into: [:]) { files, path in
            var isDirectory = ObjCBool(false)
            _ = FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isDirectory)
            if !isDirectory.boolValue { files[path] = FileManager.default.contents(atPath: folder + "/" + path) }
        }
    }

    private func write(_ files: [String: Data]) throws {
        for (path, contents) in files { try contents.write(to: URL(filePath: folder + "/" + path)) }
    }

    /// Compiles a project, and edits it so that all outputs change.
    private func compileAndEdit() async throws {
        _ = await run("init", folder)
        _ = await run("compile", project)
        let text = try String(contentsOfFile: project, encoding: .utf8)
        let edited = text.replacing("split: {off: 50, short: 50}", with: "split: {off: 40, short: 60}")
            .replacing("serve: on", with: "serve: short")
        try Data(edited.utf8).write(to: URL(filePath: project))
    }

    @Test func aProjectOnStandardInputKeepsTheLockOfTheCurrentFolder() async throws {
        try await compileAndEdit()
        let (edited, before) = (try Data(contentsOf: URL(filePath: project)), try files())
        _ = await run("compile", project)
        let after = try files()
        try write(before)
        try #require(try Data(contentsOf: URL(filePath: project)) == edited)
        _ = await RunTool.output(of: ["compile", "-"], in: folder, input: project)
        #expect(try files() == after)
    }

    @Test(arguments: [[], ["--check"], ["-e", "production"], ["--into", "elsewhere"]])
    func aLostLockIsAnErrorIfThereAreDatafiles(options: [String]) async throws {
        try await compileAndEdit()
        try FileManager.default.removeItem(atPath: folder + "/turnout.lock")
        let before = try files()
        let errors = await RunTool.output(of: ["compile"] + options, exitCode: 1, in: folder).errors
        #expect(errors.contains("turnout.lock: is missing, but datafiles/production.json exists"))
        #expect(errors.contains("git checkout") && errors.contains("turnout import"))
        #expect(await RunTool.output(of: ["lint"], exitCode: 1, in: folder).errors == errors)
        let line = ["decide", "--user", "ada", "-e", "production"]
        let note = await RunTool.output(of: line, in: folder).errors
        #expect(note.contains("restore it: git checkout HEAD -- turnout.lock"), "\(note)")
        #expect(try files() == before)
        try FileManager.default.removeItem(atPath: folder + "/datafiles")
        try FileManager.default.createDirectory(atPath: folder + "/elsewhere", withIntermediateDirectories: true)
        let isCheck = options == ["--check"]
        _ = await RunTool.output(of: ["compile"] + options, exitCode: isCheck ? 3 : 0, in: folder)
    }

    /// Programs that read the old datafile must not take the new one for an older one.
    @Test func theRevisionGrowsIfAnEnvironmentGetsAFormerKey() async throws {
        func compile(_ environments: String, _ variation: String) async throws -> String {
            let text =
                "project: shop\nenvironments: {\(environments)}\n"
                + "flags: {f: {variations: {on: {}, big: {}}, else: \(variation)}}\n"
            try Data(text.utf8).write(to: URL(filePath: project))
            return await run("compile", project).output
        }
        for variation in ["on", "big", "on"] { _ = try await compile("prod: {}", variation) }
        let renamed = try await compile("production: {was: prod}", "on")
        #expect(renamed.contains("production (revision 4)"), "\(renamed)")
        let again = try await compile("production: {}, prod: {}", "on")
        #expect(again.contains("production (revision 4), prod (revision 4)"), "\(again)")
        _ = await run("compile", project, "--check")
    }

    @Test func impactSaysThatIDsAreDerivedAnewWithoutALock() async throws {
        try await compileAndEdit()
        let other = folder + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: project, toPath: other + "/flags.yaml")
        let line = ["impact", other + "/flags.yaml", project, "-e", "production", "-n", "10"]
        let errors = await RunTool.output(of: line).errors
        #expect(errors.contains("warning: \(other)/flags.yaml: has no turnout.lock beside it"), "\(errors)")
        #expect(!errors.contains("\(project): has no"))
    }

    @Test func impactComparesADatafileWithAnEnvironmentOfAProject() async throws {
        try await compileAndEdit()
        let line = ["impact", folder + "/datafiles/production.json", project, "-e", "production", "-n", "10"]
        #expect(await RunTool.output(of: line).output.contains("of 10 users"))
    }

    /// The datafile of an environment is beside those of the others.
    @Test func theDatafileOfAFormerEnvironmentIsReported() async throws {
        try await compileAndEdit()
        let text = try String(contentsOfFile: project, encoding: .utf8)
        let renamed = text.replacing("development:", with: "staging:")
        try Data(renamed.utf8).write(to: URL(filePath: project))
        try Data(#"{"version": "4", "projectId": "another"}"#.utf8).write(
            to: URL(filePath: folder + "/datafiles/other.json"))
        for line in [["compile", project], ["compile", project, "--check"]] {
            let errors = await RunTool.output(of: line, exitCode: line.count == 2 ? 0 : 3).errors
            #expect(errors.contains("datafiles/development.json: belongs to no environment"), "\(errors)")
            #expect(errors.contains("delete this one when none reads it"))
            #expect(!errors.contains("other.json") && !errors.contains("staging.json"))
        }
        try #require(FileManager.default.fileExists(atPath: folder + "/datafiles/development.json"))
        try FileManager.default.removeItem(atPath: folder + "/datafiles/development.json")
        _ = await run("compile", project, "--check")
    }

    @Test func aFileThatCannotBeWrittenLeavesAllAsTheyWere() async throws {
        try await compileAndEdit()
        let last = folder + "/datafiles/development.json"
        try FileManager.default.removeItem(atPath: last)
        try FileManager.default.createDirectory(atPath: last, withIntermediateDirectories: false)
        let before = try files()
        let errors = await run("compile", project, exitCode: 1).errors
        #expect(errors.contains("\(last): cannot be written: Is a directory"))
        #expect(try files() == before)
    }

    @Test func anImportThatCannotWriteTheLockWritesNoProject() async throws {
        let datafile = folder + "/datafile.json"
        try Data(ImpactDatafile().text.utf8).write(to: URL(filePath: datafile))
        try FileManager.default.createDirectory(atPath: folder + "/new/turnout.lock", withIntermediateDirectories: true)
        let errors = await run("import", datafile, "--into", folder + "/new", "--force", exitCode: 1).errors
        #expect(errors.contains("turnout.lock: cannot be written: Is a directory"), "\(errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/new") == ["turnout.lock"])
    }

    @Test(arguments: 0...2) func aFailedRenameLeavesNoTemporaryFiles(failing: Int) async throws {
        let names = (0...2).map { "\(folder)/file-\($0)" }
        for name in names { try Data("old".utf8).write(to: URL(filePath: name)) }
        var renamed = 0
        let error = #expect(throws: CommandError.self) {
            try OutputFile.write(names.map { ($0, Array("new".utf8)) }) { temporary, name in
                defer { renamed += 1 }
                guard renamed < failing else {
                    errno = EBUSY
                    return false
                }
                return rename(temporary, name) == 0
            }
        }
        #expect(error?.message.contains("file-\(failing): cannot be written: Device or resource busy") == true)
        #expect(error?.message.contains("file-0") == true || failing == 0)
        let contents = try names.map { try String(contentsOfFile: $0, encoding: .utf8) }
        #expect(contents == (0...2).map { $0 < failing ? "new" : "old" })
        #expect(try files().count == 3)
    }

    /// The states in which a crash between two renames leaves the files.
    @Test(arguments: 1...2) func aCrashBetweenRenamesIsNoticedAndRepaired(renamed: Int) async throws {
        try await compileAndEdit()
        let before = try files()
        _ = await run("compile", project)
        let after = try files()
        for path in Self.outputs { try #require(before[path] != after[path], "\(path)") }
        try write(before.filter { Self.outputs[renamed...].contains($0.key) })
        try write(["datafiles/production.json.4711.tmp": Data(), "turnout.lock.1.tmp": Data("{".utf8)])
        let errors = await run("compile", project, "--check", exitCode: 3).errors
        for (index, path) in Self.outputs.enumerated() { #expect(errors.contains(path) == (index >= renamed)) }
        _ = await run("compile", project)
        #expect(try files() == after)
    }

    @Test func aProcessThatIsKilledBetweenRenamesHasReplacedTheFirstFiles() async throws {
        let names = (0...2).map { "\(folder)/file-\($0)" }
        for name in names { try Data("old".utf8).write(to: URL(filePath: name)) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [names = names as [String]] in
            try OutputFile.write(names.map { ($0, Array("new".utf8)) }) { temporary, name in
                if name.hasSuffix("file-1") { kill(getpid(), SIGKILL) }
                return rename(temporary, name) == 0
            }
        }
        let contents = try names.map { try String(contentsOfFile: $0, encoding: .utf8) }
        #expect(contents == ["new", "old", "old"])
    }

    @Test func aLimitForTheSizeOfFilesIsAnErrorAndLeavesNoTemporaryFile() async throws {
        try await compileAndEdit()
        let before = try files()
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [project = project as String] in
            var limit = rlimit(rlim_cur: 1_024, rlim_max: 1_024)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            StandardStream.reserve()
            exit(await Tool.run(["compile", project]))
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("\(folder)/turnout.lock: cannot be written: File too large"), "\(errors)")
        #expect(try files() == before)
    }

    @Test func permissionsAndLinksStay() async throws {
        _ = await run("init", folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: project)
        let link = folder + "/link.yaml"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "flags.yaml")
        _ = await run("set", "checkout.rules.checkout_ab.traffic", "60%", "-p", link)
        #expect(try String(contentsOfFile: project, encoding: .utf8).contains("traffic: 60%"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "flags.yaml")
        let attributes = try FileManager.default.attributesOfItem(atPath: project)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
