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
            "turnout compile": "Compile flags.yaml into the folder datafiles.",
            "turnout compile --check": "Fail in continuous integration if the datafiles are out of date.",
            "turnout compile -e production | turnout inspect -d -": "Look at a datafile.",
        ],
        json: [
            "files[]": "The lock, and the datafile of each environment.",
            "files[].file": "The path.",
            "files[].environment, files[].revision": "Of a datafile; missing for the lock.",
            "files[].isCurrent": "Whether the file had this content before the command.",
            "former": "Datafiles of environments that the project does not have any more.",
            "retired": "Keys that the project does not have any more, whose ids are retired.",
        ])

    private let file: String
    private let folder: String?
    private let isForced: Bool

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let command = CompileCommand(
            file: arguments.operands.first ?? ProjectSource.defaultName, folder: arguments.value("--into"),
            isForced: arguments.has("--force"))
        let result = CommandResult(arguments)
        if let environment = arguments.value("--environment") {
            if result.isJSON { throw UsageError.conflicting("--environment", "--output json") }
            try arguments.exclude("--environment", "--check")
            let (source, compiled) = try command.compiled()
            let datafile = try compiled.datafile(of: environment, in: source)
            let isWritten = datafile.withUnsafeBytes { StandardStream.output.put($0) }
            guard isWritten else { throw CommandError.unwritten("the datafile") }
            return 0
        }
        if arguments.has("--check") {
            let outputs = try command.compiledFiles()
            try result.print("", outputs.members)
            return outputs.check(prints: !result.isJSON)
        }
        let outputs = try FileLock.whileHeld(on: command.file) {
            let outputs = try command.compiledFiles()
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
        if let error = source.lostLock ?? source.lostLock(in: folder(source)) { throw error }
        let errors = ProjectLint(try source.validProject(), source: source.file).environmentErrors
        guard !errors.hasErrors else { try source.fail(with: errors) }
        return (source, compiled)
    }

    private func folder(_ source: ProjectSource) -> String { folder ?? source.siblingPath("datafiles") }
}

/// The files that a project compiles to, and what was in their places before.
struct CompiledFiles {
    private let datafiles: [CompiledDatafile]
    private let folder: String
    /// The files with their contents, in the order in which they are replaced.
    private let files: [(name: String, bytes: [UInt8])]
    /// Whether each file had its content before.
    private let isCurrent: [Bool]
    /// The datafiles of this project in the folder that belong to none of its environments: a renamed or deleted one
    /// leaves its datafile, which programs may still read.
    private let former: [String]
    /// The keys that were in the project at the last compilation.
    private let removedKeys: [RemovedKey]

    init(
        _ compiled: CompiledProject, lockPath: String, folder: String, removedKeys: [RemovedKey]
    ) throws(CommandError) {
        datafiles = compiled.datafiles
        self.removedKeys = removedKeys
        self.folder = folder
        // The lock first: if a crash separates them, no datafile may have an id, a bucket or a revision that the lock
        // does not know, because the next compilation could give it to something else.
        files =
            [(lockPath, Array(compiled.lock.text.utf8))]
            + compiled.datafiles.map { ("\(folder)/\($0.environment).json", $0.bytes) }
        var isCurrent: [Bool] = []
        for (name, bytes) in files {
            isCurrent.append(
                OutputFile.exists(name) && !OutputFile.isFolder(name) ? try InputFile(name).readAll() == bytes : false)
        }
        self.isCurrent = isCurrent
        former = Self.former(compiled, in: folder)
    }

    private static func former(_ compiled: CompiledProject, in folder: String) -> [String] {
        let current = Set(compiled.datafiles.map { "\($0.environment).json" })
        guard let project = compiled.datafiles.first.flatMap({ projectID(of: $0.bytes) }) else { return [] }
        let names = ((try? Folder.names(in: folder)) ?? []).filter { $0.hasSuffix(".json") }
        return names.filter { !current.contains($0) }.sorted().map { "\(folder)/\($0)" }.filter { name in
            (try? InputFile(name).readAll()).flatMap(projectID) == project
        }
    }

    /// The revisions of the datafiles of a project in a folder, by environment, as far as they can be read.
    static func revisions(of environments: [String], ofProject id: String?, in folder: String) -> [String: Int] {
        guard let id else { return [:] }
        return environments.reduce(into: [:]) { revisions, environment in
            let name = "\(folder)/\(environment).json"
            guard InputFile.isRegular(name), let bytes = try? InputFile(name).readAll(),
                let root = try? JSONValue(parsing: bytes), root["projectId"] == .string(id),
                case .string(let revision)? = root["revision"]
            else { return }
            revisions[environment] = Project.number(inRevision: revision)
        }
    }

    /// The id of the project of a datafile; nil if it is none.
    private static func projectID(of datafile: [UInt8]) -> String? {
        guard let root = try? JSONValue(parsing: datafile), root["version"] != nil,
            case .string(let id)? = root["projectId"]
        else { return nil }
        return id
    }

    /// Writes all files, or none.
    func write() throws(CommandError) {
        try OutputFile.createFolder(folder)
        OutputFile.removeLeftovers(of: files.map(\.name))
        try OutputFile.write(files)
    }

    /// A summary in one line.
    var summary: String {
        let names = datafiles.map { "\($0.environment) (revision \($0.revision))" }
        return "compiled \(names.joined(separator: ", ")) into \(folder)\n"
    }

    /// The members that `turnout compile --help` explains.
    var members: [String: JSONValue] {
        let values = files.indices.map { index in
            var file: [String: JSONValue] = [
                "file": .string(files[index].name), "isCurrent": .bool(isCurrent[index]),
            ]
            if index > 0 {
                file["environment"] = .string(datafiles[index - 1].environment)
                file["revision"] = .integer(Int64(datafiles[index - 1].revision))
            }
            return JSONValue.object(file)
        }
        return [
            "files": .array(values), "former": .strings(former),
            "retired": .strings(removedKeys.map(\.path.description)),
        ]
    }

    // MARK: Checking

    /// Names the datafiles of former environments, which stay as they are, and the keys whose ids were retired.
    func printNotes() {
        for removed in removedKeys {
            let new = removed.possibleNewPath?.keys.last
            let note = CommandError(
                "note: \(removed.path.description) is no longer in the project; its id is retired",
                advice: new.map {
                    "If it was renamed to \($0), restore turnout.lock and the datafiles from git, add "
                        + "`was: \(removed.path.keys.last ?? "")` to it, and compile again."
                })
            StandardStream.error.put(note.report)
        }
        for name in former {
            let note = CommandError("note: " + Self.sentence(former: name), advice: Self.formerAdvice)
            StandardStream.error.put(note.report)
        }
    }

    /// Whether the files are current, as an exit code. What differs is printed.
    func check(prints: Bool) -> Int32 {
        let stale = files.indices.filter { !isCurrent[$0] }.map { files[$0].name }
        guard !stale.isEmpty || !former.isEmpty else { return 0 }
        let difference =
            stale.isEmpty
            ? CommandError(former.map(Self.sentence).joined(separator: "; "), advice: Self.formerAdvice)
            : CommandError(
                "out of date: \(stale.joined(separator: ", "))", advice: "Run `turnout compile`, and commit the files.")
        if prints { StandardStream.error.put(difference.report) }
        return CompileCommand.differenceExitCode
    }

    private static func sentence(former name: String) -> String {
        "\(name): belongs to no environment of the project, and stays as it is"
    }

    /// An address that programs use must not vanish, and its last content keeps them working.
    private static let formerAdvice =
        "Programs that read it no longer receive changes. Point them to another datafile, and delete this one when "
        + "none reads it."
}
