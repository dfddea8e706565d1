import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// The options for the datafile that a command decides with: a file, a project file, or an address.
enum DatafileArguments {
    static let options: [CommandOption] = [
        .value(
            "--datafile", "FILE",
            "The datafile, or a project file; - reads standard input. Default: flags.yaml, or else the only file of "
                + "the folder datafiles."
        ).short("d"),
        environment,
        .value(
            "--sdk-key", "KEY",
            "Download the datafile of this SDK key instead. A copy is kept in $XDG_CACHE_HOME/turnout, or else "
                + "~/.cache/turnout; it is used, with a warning, while the server cannot be reached."),
        .value(
            "--url", "ADDRESS",
            "Where to download it: {sdkKey} stands for the SDK key. Default: the vendor's server."),
        .toggle("--no-cache", "Neither use nor keep a copy of a downloaded datafile."),
    ]

    static let environment = CommandOption.value(
        "--environment", "KEY", "The environment, if the file is a project file with several."
    ).short("e")

    /// Loads the datafile that the command line describes, with its options or the argument `operand`.
    static func project(_ arguments: ParsedArguments, operand: String? = nil) async throws -> Project {
        if let operand {
            for name in ["--datafile", "--sdk-key", "--url"] where arguments.has(name) {
                throw UsageError.conflicting(operand, name)
            }
        }
        guard let file = operand ?? arguments.value("--datafile") else {
            guard arguments.has("--sdk-key") || arguments.has("--url") else {
                return try Project.load(try fileAtHand(), environment: arguments.value("--environment"))
            }
            if arguments.has("--environment") { throw UsageError.conflicting("--environment", "--sdk-key") }
            return try await download(arguments)
        }
        try arguments.exclude("--datafile", "--sdk-key", "--url")
        return try Project.load(file, environment: arguments.value("--environment"))
    }

    /// The file of a command line that names none, which is said: the project file of the current folder, or its only
    /// datafile.
    private static func fileAtHand() throws -> String {
        let files = filesAtHand
        guard let file = files.first else {
            throw UsageError.missing(
                anyOf: ["--datafile FILE", "--sdk-key KEY", "--url ADDRESS"], advice: nothingAtHand)
        }
        guard files.count == 1 else {
            throw CommandError(
                "there are \(files.count) datafiles: \(files.prefix(9).joined(separator: ", "))",
                advice: "Choose one with --datafile.")
        }
        StandardStream.error.put("turnout: note: reads \(file.printable), because --datafile is not given\n")
        return file
    }

    /// The project file of the current folder, or else its datafiles.
    static var filesAtHand: [String] {
        if OutputFile.exists(ProjectSource.defaultName) { return [ProjectSource.defaultName] }
        let names = (try? Folder.names(in: "datafiles")) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map { "datafiles/" + $0 }
    }

    static let nothingAtHand =
        "This folder has neither \(ProjectSource.defaultName), which `turnout init` writes, nor datafiles."

    private static func download(_ arguments: ParsedArguments) async throws -> Project {
        let (sdkKey, address) = (arguments.value("--sdk-key"), arguments.value("--url"))
        if sdkKey == nil, address?.contains("{sdkKey}") == true { throw UsageError.missing(anyOf: ["--sdk-key KEY"]) }
        let download = DatafileDownload(sdkKey: sdkKey, address: address, usesCache: !arguments.has("--no-cache"))
        return try await download.project()
    }
}

extension Project {
    /// Reads the datafile that a command line names, or compiles the project file for an environment. A project with
    /// a single environment needs no name. A project file without a lock causes a note.
    static func load(_ name: String, environment: String?) throws(CommandError) -> Project {
        let bytes = try InputFile(name).readAll()
        guard ProjectSource.isProject(name, bytes) else {
            guard let environment else { return try read(bytes, named: title(name)) }
            throw CommandError(environment: environment, ofDatafile: name)
        }
        let source = try ProjectSource(name, bytes: bytes)
        if let note = source.missingLockNote { StandardStream.error.put("turnout: note: \(note)\n") }
        return try project(of: source, try source.compiled(), environment)
    }

    /// Reads a datafile or project file, and the one that replaces it. The environment is that of project files. A
    /// missing lock causes a warning.
    ///
    /// - Throws: `CommandError` also if the lock of the old project file has ids or traffic of another edit: its users
    ///   would not be those of its datafile.
    static func load(
        _ old: ComparedFile, replacedBy new: ComparedFile, environment: String?
    ) throws(CommandError) -> (old: Project, new: Project) {
        if let environment, ![old, new].contains(where: { ProjectSource.isProject($0.path, $0.bytes) }) {
            throw CommandError(environment: environment, ofDatafile: new.title)
        }
        return (
            try compared(old, environment, isReplaced: true), try compared(new, environment, isReplaced: false)
        )
    }

    private static func compared(
        _ file: ComparedFile, _ environment: String?, isReplaced: Bool
    ) throws(CommandError) -> Project {
        guard ProjectSource.isProject(file.path, file.bytes) else { return try read(file.bytes, named: file.title) }
        let source = try ProjectSource(file)
        // Who moves is to be seen before `compile --force` accepts another type of a variable.
        let compiled = try source.compiled(acceptsTypes: true)
        if !source.hasLock { source.warnOfMissingLock() }
        if isReplaced, source.hasLock, !compiled.lock.keepsIDsAndTraffic(of: source.lock) {
            throw CommandError(
                "\(source.file.name): \(source.lockPath) has ids or traffic of another edit, so that what the file "
                    + "compiled to is not known",
                advice: "Compare with a commit, for example `turnout impact HEAD`, or compare the datafiles.")
        }
        return try project(of: source, compiled, environment)
    }

    private static func project(
        of source: ProjectSource, _ compiled: CompiledProject, _ environment: String?
    ) throws(CommandError) -> Project {
        let keys = compiled.datafiles.map(\.environment)
        guard let key = environment ?? (keys.count == 1 ? keys[0] : nil) else {
            throw CommandError(
                "\(source.file.name): has the environments \(keys.joined(separator: ", "))",
                advice: "Choose one with --environment.")
        }
        return try read(try compiled.datafile(of: key, in: source), named: "\(source.file.name), \(key)")
    }

    private static func title(_ name: String) -> String { name == "-" ? "standard input" : name }

    /// Reads the bytes of a datafile; the name is for errors.
    static func read(_ bytes: [UInt8], named name: String) throws(CommandError) -> Project {
        do throws(DatafileError) { return try Project(datafile: bytes) } catch { throw CommandError(error, in: name) }
    }

    /// Throws if the datafile lacks a flag that the command line names.
    func checkFlags(_ names: [String]) throws(CommandError) {
        let keys = flags.map(\.key)
        for name in names where flag(name) == nil {
            throw CommandError(
                "the datafile has no flag \"\(name)\"",
                advice: Spelling.suggestion(for: name, among: keys)
                    ?? "\"turnout inspect\" lists the flags of a datafile.")
        }
    }
}

extension CommandError {
    /// The error for a command line that names an environment of a datafile.
    init(environment: String, ofDatafile name: String) {
        self.init(
            "\(name): is a datafile, which has one environment",
            advice: "Leave --environment \(environment) out, or name a project file.")
    }
}
