import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout compile`: makes datafiles of a project file.
struct CompileCommand: Command {
    static let syntax = CommandSyntax(
        name: "compile", summary: "Makes a datafile for each environment of a project file.",
        discussion: """
            Writes FOLDER/ENVIRONMENT.json for each environment, and turnout.lock beside the project file: the lock \
            records the ids and the traffic of all rules, so that users keep their variations. Commit all of them. The \
            same project gives the same bytes. The revision grows if the content changed. If a file cannot be written, \
            none is changed. If there are datafiles but no lock, nothing is done, because ids and traffic would be \
            derived anew. A variable that has another type than at the last compilation is an error, because \
            programs that read the former type get their own default; --force accepts it.

            With --check, nothing is written, and the exit code is 3 if a file is not what would be written, or if the \
            folder has a datafile of an environment that the project does not have any more. Without --check, such \
            a file is named and left as it is, because programs may read it.
            """,
        operands: .init(
            "[FILE]",
            "The project file; - reads standard input, with the lock of the current folder. Default: flags.yaml.",
            count: 0...1),
        options: [
            .value("--into", "FOLDER", "Where to write the datafiles. Default: datafiles, beside the project file."),
            .value("--environment", "KEY", "Print the datafile of this environment, and write nothing.").short("e"),
            .toggle("--check", "Write nothing; fail if a file is out of date."),
            .toggle("--force", "Accept variables whose type has changed."), CommandResult.option,
        ],
        examples: [
            .init("turnout compile", "Compile flags.yaml into the folder datafiles."),
            .init("turnout compile --check", "Fail in continuous integration if the datafiles are out of date."),
            .init("turnout compile -e production | turnout inspect -d -", "Look at a datafile."),
        ],
        json: [
            .init("files[]", "The lock, and the datafile of each environment."),
            .init("files[].file", "The path."),
            .init("files[].environment, files[].revision", "Of a datafile; missing for the lock."),
            .init("files[].isCurrent", "Whether the file had this content before the command."),
            .init("former", "Datafiles of environments that the project does not have any more."),
            .init("retired", "Keys that the project does not have any more, whose ids are retired."),
        ])

    private let file: String
    private let folder: String?
    private let environment: String?
    private let onlyChecks: Bool
    private let isForced: Bool
    private let result: CommandResult

    init(_ arguments: ParsedArguments) throws {
        file = arguments.operands.first ?? ProjectSource.defaultName
        folder = arguments.value("--into")
        environment = arguments.value("--environment")
        onlyChecks = arguments.has("--check")
        isForced = arguments.has("--force")
        result = CommandResult(arguments)
        if environment != nil, result.isJSON { throw UsageError.conflicting("--environment", "--output json") }
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
            let outputs = try compiledFiles()
            if result.isJSON { try result.print("", outputs.members) }
            return outputs.check(prints: !result.isJSON)
        }
        let outputs = try FileLock.whileHeld(on: file) {
            let outputs = try compiledFiles()
            try outputs.write()
            return outputs
        }
        if !result.isJSON { outputs.printNotes() }
        try result.print(outputs.summary, outputs.members)
        return 0
    }

    /// The files that the project compiles to now.
    private func compiledFiles() throws(CommandError) -> CompiledFiles {
        let (source, compiled) = try compiled()
        return try CompiledFiles(
            compiled, lockPath: source.lockPath, folder: folder(source),
            removedKeys: source.hasLock ? compiled.removedKeys(from: source.lock) : [])
    }

    private func compiled() throws(CommandError) -> (ProjectSource, CompiledProject) {
        let source = try ProjectSource(file)
        guard !source.isDatafile else {
            throw CommandError("\(source.file.name): is a datafile already", advice: "Use `turnout import` to edit it.")
        }
        let environments = source.project.map { $0.environments.map(\.key) } ?? []
        let compiled = try source.compiled(
            publishedRevisions: CompiledFiles.revisions(
                of: environments, ofProject: source.lock.ids[EntityPath(.project)], in: folder(source)),
            acceptsTypes: isForced)
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
}
