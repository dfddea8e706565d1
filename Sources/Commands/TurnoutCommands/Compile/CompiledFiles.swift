import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

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
