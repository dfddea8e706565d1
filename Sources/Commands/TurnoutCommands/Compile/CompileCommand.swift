import TurnoutEngine
import TurnoutFlags

/// `turnout compile`: makes datafiles of a project file.
struct CompileCommand: Command {
    static let syntax = CommandSyntax(
        name: "compile", summary: "Makes a datafile for each environment of a project file.",
        discussion: """
            Writes FOLDER/ENVIRONMENT.json for each environment, and turnout.lock beside the project file: it keeps \
            the ids and the traffic of all rules, so that users stay where they are. Commit all of them. The same \
            project gives the same bytes. The revision grows if the content changed. If a file cannot be written, none \
            is changed. If there are datafiles but no lock, nothing is done, because ids and traffic would be \
            derived anew.

            With --check, nothing is written, and the exit code is 3 if a file is not what would be written, or if the \
            folder has a datafile of an environment that the project does not have any more.
            """,
        operands: .init(
            "[FILE]",
            "The project file; - reads standard input, with the lock of the current folder. Default: flags.yaml.",
            count: 0...1),
        options: [
            .value("--into", "FOLDER", "Where to write the datafiles. Default: datafiles, beside the project file."),
            .value("--environment", "KEY", "Print the datafile of this environment, and write nothing.").short("e"),
            .toggle("--check", "Write nothing; fail if a file is out of date."),
        ],
        examples: [
            .init("turnout compile", "Compile flags.yaml into the folder datafiles."),
            .init("turnout compile --check", "Fail in continuous integration if the datafiles are out of date."),
            .init("turnout compile -e production | turnout inspect -d -", "Look at a datafile."),
        ])

    private let file: String
    private let folder: String?
    private let environment: String?
    private let onlyChecks: Bool

    init(_ arguments: ParsedArguments) throws {
        file = arguments.operands.first ?? ProjectSource.defaultName
        folder = arguments.value("--into")
        environment = arguments.value("--environment")
        onlyChecks = arguments.has("--check")
        if environment != nil, onlyChecks { throw UsageError.conflicting("--environment", "--check") }
    }

    func run() throws -> Int32 {
        if let environment {
            let (source, compiled) = try compiled()
            let datafile = try compiled.datafile(of: environment, in: source)
            let isWritten = datafile.withUnsafeBytes { StandardStream.output.put($0) }
            guard isWritten else { throw CommandError.unwritten("the datafile") }
            return 0
        }
        if onlyChecks {
            let (source, compiled) = try compiled()
            return try check(files(compiled, source), former: formerDatafiles(compiled, source))
        }
        let summary = try FileLock.whileHeld(on: file) { try write() }
        guard StandardStream.output.put(summary) else { throw CommandError.unwritten("the summary") }
        return 0
    }

    /// Writes all files. Returns what was done.
    private func write() throws -> String {
        let (source, compiled) = try compiled()
        try OutputFile.createFolder(folder(source))
        let files = files(compiled, source)
        OutputFile.removeLeftovers(of: files.map(\.name))
        try OutputFile.write(files)
        let names = compiled.datafiles.map { "\($0.environment) (revision \($0.revision))" }
        return "compiled \(names.joined(separator: ", ")) into \(folder(source))\n"
    }

    private func compiled() throws(CommandError) -> (ProjectSource, CompiledProject) {
        let source = try ProjectSource(file)
        guard !source.isDatafile else {
            throw CommandError("\(source.file.name): is a datafile already", advice: "Use `turnout import` to edit it.")
        }
        let compiled = try source.compiled()
        try checkLock(of: source, compiled)
        let errors = ProjectLint(try source.validProject(), source: source.file).environmentErrors
        guard !errors.hasErrors else { try source.fail(with: errors) }
        return (source, compiled)
    }

    /// Throws if the project was compiled before, but its lock is lost.
    private func checkLock(of source: ProjectSource, _ compiled: CompiledProject) throws(CommandError) {
        guard !source.hasLock else { return }
        for folder in [source.siblingPath("datafiles"), folder(source)] {
            for name in compiled.datafiles.map({ "\(folder)/\($0.environment).json" }) where OutputFile.exists(name) {
                throw CommandError(
                    "\(source.lockPath): is missing, but \(name) exists; nothing was done, because users would move "
                        + "and ids of deleted parts could be used again",
                    advice: "Restore the lock with `git checkout HEAD -- \(source.lockPath)`, or from an older commit. "
                        + "If it was never committed, `turnout import \(name) --into recovered` makes a lock with the "
                        + "ids and traffic of this environment; copy that lock here. If no program has used the "
                        + "datafiles yet, delete them.")
            }
        }
    }

    private func folder(_ source: ProjectSource) -> String { folder ?? source.siblingPath("datafiles") }

    /// The files with their contents, in the order in which they are replaced.
    private func files(_ compiled: CompiledProject, _ source: ProjectSource) -> [(name: String, bytes: [UInt8])] {
        // The lock first: if a crash separates them, no datafile may have an id, a bucket or a revision that the lock
        // does not know, because the next compilation could give it to something else.
        [(source.lockPath, Array(compiled.lock.text.utf8))]
            + compiled.datafiles.map { ("\(folder(source))/\($0.environment).json", $0.bytes) }
    }

    /// The datafiles of this project in the folder that belong to none of its environments: a renamed or deleted one
    /// leaves its datafile, which programs may still read.
    private func formerDatafiles(_ compiled: CompiledProject, _ source: ProjectSource) -> [String] {
        let folder = folder(source)
        let current = Set(compiled.datafiles.map { "\($0.environment).json" })
        guard let project = compiled.datafiles.first.flatMap({ Self.projectID(of: $0.bytes) }) else { return [] }
        let names = ((try? SourceFiles.names(in: folder)) ?? []).filter { $0.hasSuffix(".json") }
        return names.filter { !current.contains($0) }.sorted().map { "\(folder)/\($0)" }.filter { name in
            (try? InputFile(name).readAll()).flatMap(Self.projectID) == project
        }
    }

    /// The id of the project of a datafile; nil if it is none.
    private static func projectID(of datafile: [UInt8]) -> String? {
        guard let root = try? JSONValue(parsing: datafile), root["version"] != nil,
            case .string(let id)? = root["projectId"]
        else { return nil }
        return id
    }

    private func check(
        _ files: [(name: String, bytes: [UInt8])], former: [String]
    ) throws(CommandError) -> Int32 {
        var stale: [String] = []
        for (name, bytes) in files {
            guard OutputFile.exists(name), try InputFile(name).readAll() == bytes else {
                stale.append(name)
                continue
            }
        }
        if stale.isEmpty, !former.isEmpty {
            return report(
                former.map { "\($0): belongs to no environment of the project" }.joined(separator: "; "),
                advice: "Delete it when no program reads it any more.")
        }
        guard stale.isEmpty else {
            return report(
                "out of date: \(stale.joined(separator: ", "))", advice: "Run `turnout compile`, and commit the files.")
        }
        return 0
    }

    /// Prints what a check found, and returns the exit code.
    private func report(_ difference: String, advice: String) -> Int32 {
        StandardStream.error.put(CommandError(difference, advice: advice).report)
        return Self.differenceExitCode
    }
}
