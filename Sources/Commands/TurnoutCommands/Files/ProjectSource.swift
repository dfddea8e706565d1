import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

#if YAML
    import TurnoutYAML
#endif

/// A project file with its lock, or a datafile read as a project.
struct ProjectSource {
    /// The project file that commands use unless another is named.
    static let defaultName = "flags.yaml"
    /// The name of the lock, in the folder of the project file.
    static let lockName = "turnout.lock"

    let file: SourceFile
    /// Whether the text is JSON.
    let isJSON: Bool
    let root: Node
    /// Whether the file is a datafile, whose places in the text are not known.
    let isDatafile: Bool
    /// The project, unless reading it failed.
    let project: AuthoredProject?
    /// The lock beside the project file, or in the current folder for standard input; empty if there is none.
    let lock: LockFile
    /// Whether there is a lock, so that ids and traffic are not derived anew. A datafile contains its own.
    let hasLock: Bool
    /// The path of the lock.
    let lockPath: String
    /// The problems that reading found.
    let diagnostics: Diagnostics

    /// Reads a file in YAML or JSON; `-` is standard input.
    init(_ name: String) throws(CommandError) {
        try self.init(name, bytes: try Self.bytes(of: name))
    }

    /// Reads the bytes of a project file.
    static func bytes(of name: String) throws(CommandError) -> [UInt8] {
        guard !OutputFile.isFolder(name) else {
            throw CommandError("\(name): is a folder", advice: "Name the file in it, such as \(name)/\(defaultName).")
        }
        guard name != defaultName || OutputFile.exists(name) else {
            throw CommandError(
                "\(name): is not in this folder, \(Folder.current)",
                advice: "Go to the folder of the project, name its file, or let `turnout init` write one.")
        }
        return try InputFile(name).readAll()
    }

    /// Reads the contents of a file.
    init(_ name: String, bytes: [UInt8]) throws(CommandError) {
        let (root, file) = try Self.root(of: name, bytes)
        try self.init(name, file, root)
    }

    /// Reads a file that a command compares, with the lock of the same commit.
    init(_ compared: ComparedFile) throws(CommandError) {
        let file = SourceFile(name: compared.title, bytes: compared.bytes)
        let root: Node
        do throws(Diagnostic) { root = try Self.node(of: file, named: compared.path) } catch {
            throw CommandError(error.text(in: file.name))
        }
        try self.init(compared.path, file, root, at: compared.revision)
    }

    /// Reads the nodes of a file.
    init(
        _ name: String, _ file: SourceFile, _ root: Node, at revision: GitRevision? = nil
    ) throws(CommandError) {
        (self.file, self.root) = (file, root)
        lockPath = Self.lockPath(besides: name)
        isJSON = Self.isJSON(name, file.bytes)
        isDatafile = !Self.isProject(name, file.bytes)
        if isDatafile {
            let imported: DatafileImport
            do throws(DatafileError) { imported = try DatafileImport(file.bytes) } catch {
                let advice = "Is it a datafile of version 4?"
                throw CommandError(
                    "\(file.name): \(error)", advice: advice,
                    underlyingError: FileProblems(file: name, problems: [error.diagnostic(advice: advice)]))
            }
            (project, lock, diagnostics) = (imported.project, imported.lock, Diagnostics())
            hasLock = true
        } else {
            let bytes = try Self.lockBytes(lockPath, at: revision)
            hasLock = bytes != nil
            if let bytes { lock = try Self.readLock(bytes, lockPath) } else { lock = LockFile() }
            do throws(Diagnostics) {
                (project, diagnostics) = (try ProjectReader.read(root, in: file, lock: lock), Diagnostics())
            } catch { (project, diagnostics) = (nil, error) }
        }
    }

    /// The path of the lock that belongs to a project file: beside it, or in the current folder for standard input.
    static func lockPath(besides name: String) -> String { folder(of: name) + lockName }

    /// The project, if it has no errors. Otherwise all errors are printed.
    func validProject() throws(CommandError) -> AuthoredProject {
        if let project, !diagnostics.hasErrors { return project }
        try fail(with: diagnostics)
    }

    func fail(with diagnostics: Diagnostics) throws(CommandError) -> Never {
        let errors = diagnostics.all.filter { $0.severity == .error }
        for error in errors { StandardStream.error.put(error.text(in: file.name).printable + "\n") }
        throw CommandError(
            "\(file.name): \(errors.count.grouped("error")); nothing was done",
            advice: "Correct the lines above, and try again.")
    }

    /// Compiles the project. Prints its errors.
    ///
    /// - Parameters:
    ///   - publishedRevisions: The revisions of the datafiles that are replaced, by environment.
    ///   - acceptsTypes: Whether variables may have other types than in the lock.
    /// - Returns: The datafiles and the new lock.
    /// - Throws: `CommandError` if the project has errors.
    func compiled(
        publishedRevisions: [String: Int] = [:], acceptsTypes: Bool = false
    ) throws(CommandError) -> CompiledProject {
        do throws(Diagnostics) {
            return try compile(publishedRevisions: publishedRevisions, acceptsTypes: acceptsTypes)
        } catch {
            try fail(with: error)
        }
    }

    /// Compiles the project. Prints nothing.
    ///
    /// - Parameters:
    ///   - segmentsHost: The host for segments of a project that has a public key and no host. Default: none.
    ///   - publishedRevisions: The revisions of the datafiles that are replaced, by environment.
    ///   - isServed: Whether the datafiles are served without being compiled into files. Default: false.
    ///   - acceptsTypes: Whether variables may have other types than in the lock. Default: false.
    /// - Returns: The datafiles and the new lock.
    /// - Throws: All problems, if one is an error.
    func compile(
        segmentsHost: String? = nil, publishedRevisions: [String: Int] = [:], isServed: Bool = false,
        acceptsTypes: Bool = false
    ) throws(Diagnostics) -> CompiledProject {
        guard var project, !diagnostics.hasErrors else { throw diagnostics }
        if project.settings.segments?.host == nil, project.settings.segments?.publicKey != nil {
            project.settings.segments?.host = segmentsHost
        }
        var lock = lock
        if acceptsTypes { lock.types = [:] }
        let compiler = ProjectCompiler(
            project, lock: lock, source: file, publishedRevisions: publishedRevisions, isServed: isServed)
        let compiled = compiler.compile()
        guard !compiled.diagnostics.hasErrors else { throw compiled.diagnostics }
        return compiled
    }

    /// Prints that decisions depend on a lock that is not there.
    func warnOfMissingLock() {
        StandardStream.error.put(
            """
            turnout: warning: \(file.name.printable): has no \(Self.lockName) beside it: ids and traffic are derived \
            anew, so users seem to move even if the file is the same
              \(lostLock?.advice ?? Self.worktreeAdvice)

            """)
    }

    private static let worktreeAdvice =
        "Compare files in folders with their locks, for example with `git worktree add`, or compare datafiles."

    /// A note if decisions depend on a lock that does not exist; nil otherwise.
    var missingLockNote: String? {
        guard !hasLock else { return nil }
        let advice =
            lostLock == nil
            ? "run `turnout compile` and commit the lock" : "restore it: git checkout HEAD -- \(lockPath)"
        return
            "\(file.name.printable): has no \(Self.lockName) beside it, so ids and traffic are derived from its keys; "
            + "\(advice), so that users stay where they are"
    }

    /// The error if the project was compiled before, but its lock is lost; nil otherwise.
    var lostLock: CommandError? { lostLock(in: siblingPath("datafiles")) }

    /// The error if the project was compiled into a folder before, but its lock is lost; nil otherwise.
    func lostLock(in folder: String) -> CommandError? {
        let datafiles = project?.environments.map { "\(folder)/\($0.key).json" } ?? []
        guard !hasLock, let name = datafiles.first(where: OutputFile.exists) else { return nil }
        return CommandError(
            "\(lockPath): is missing, but \(name) exists; nothing was done, because users would move and ids of "
                + "deleted parts could be used again",
            advice: "Restore the lock with `git checkout HEAD -- \(lockPath)`, or from an older commit. If it was "
                + "never committed, `turnout import \(name) --into recovered` makes a lock with the ids and traffic of "
                + "this environment; copy that lock here. If no program has used the datafiles yet, delete them.")
    }

    /// The path of a file or folder beside the project file.
    func siblingPath(_ name: String) -> String { lockPath.dropLast(Self.lockName.count) + name }

    // MARK: Reading

    /// Whether a file is a project file and not a datafile, which is JSON with a member `version` and none named
    /// `project`. The text is not parsed for this, because a datafile can be large.
    static func isProject(_ name: String, _ bytes: [UInt8]) -> Bool {
        !isJSON(name, bytes) || hasMember("project", bytes) || !hasMember("version", bytes)
    }

    /// Whether the outermost object of a text in JSON has a member.
    ///
    /// - Complexity: O(n) in the size of the text.
    private static func hasMember(_ key: String, _ bytes: [UInt8]) -> Bool {
        let quoted = Array("\"\(key)\"".utf8)
        var (depth, index) = (0, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = index
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard depth == 1, index < bytes.count, bytes[start...index].elementsEqual(quoted) else { break }
                let next = bytes[(index + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
                if next == UInt8(ascii: ":") { return true }
            default: break
            }
            index += 1
        }
        return false
    }

    /// The nodes of a file in YAML or JSON.
    static func root(of name: String, _ bytes: [UInt8]) throws(CommandError) -> (root: Node, source: SourceFile) {
        let source = SourceFile(name: name == "-" ? "standard input" : name, bytes: bytes)
        do throws(Diagnostic) { return (try node(of: source, named: name), source) } catch {
            throw CommandError(error.text(in: source.name))
        }
    }

    /// The nodes of a text in YAML or JSON. The name of the file tells the language.
    static func node(of file: SourceFile, named name: String) throws(Diagnostic) -> Node {
        try node(of: file, isJSON: isJSON(name, file.bytes))
    }

    private static func isJSON(_ name: String, _ bytes: [UInt8]) -> Bool {
        if name.hasSuffix(".json") { return true }
        if name.hasSuffix(".yaml") || name.hasSuffix(".yml") { return false }
        return bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }

    private static func node(of file: SourceFile, isJSON: Bool) throws(Diagnostic) -> Node {
        if isJSON { return try Node(json: file) }
        #if YAML
            return try Node(yaml: file)
        #else
            throw Diagnostic(
                .error, "syntax", "this build of turnout cannot read YAML",
                advice: "build with --traits default,YAML, or write the project in JSON")
        #endif
    }

    private static func lockBytes(_ path: String, at revision: GitRevision?) throws(CommandError) -> [UInt8]? {
        if let revision { return try revision.contents(of: path) }
        return OutputFile.exists(path) ? try InputFile(path).readAll() : nil
    }

    private static func readLock(_ bytes: [UInt8], _ path: String) throws(CommandError) -> LockFile {
        guard !bytes.isEmpty else {
            let advice = "Restore it from your repository's history. Delete it only if no datafile is in use yet."
            throw CommandError(
                "\(path): the lock is empty; nothing was done", advice: advice,
                underlyingError: FileProblems(
                    file: path,
                    problems: [Diagnostic(.error, LockProblem.cut.rawValue, "the lock is empty", advice: advice)]))
        }
        do throws(Diagnostics) { return try LockFile(bytes: bytes) } catch {
            for problem in error.all { StandardStream.error.put(problem.text(in: path).printable + "\n") }
            throw CommandError(
                "\(path): the lock cannot be read; nothing was done",
                advice: "Correct the lines above. The last good lock is in your repository's history.",
                underlyingError: FileProblems(file: path, problems: error.all))
        }
    }

    /// The folder of a file, with a slash at the end; empty for the current one.
    private static func folder(of name: String) -> String {
        guard let slash = name.lastIndex(of: "/") else { return "" }
        return String(name[...slash])
    }
}

extension DatafileError {
    /// The error as a finding in the datafile.
    fileprivate func diagnostic(advice: String) -> Diagnostic {
        let code = CompilingProblem.invalidDatafile.rawValue
        guard case .invalid(let error) = self else { return Diagnostic(.error, code, description, advice: advice) }
        let place = error.path.isEmpty ? "" : error.pathText + ": "
        return Diagnostic(
            .error, code, place + error.message, advice: advice,
            at: SourcePosition(line: error.line, column: error.column))
    }
}

extension CompiledProject {
    /// The datafile of an environment.
    func datafile(of environment: String, in source: ProjectSource) throws(CommandError) -> [UInt8] {
        if let datafile = datafiles.first(where: { $0.environment == environment }) { return datafile.bytes }
        let keys = datafiles.map(\.environment)
        throw CommandError(
            "\(source.file.name): there is no environment \"\(environment)\", only \(keys.joined(separator: ", "))",
            advice: Spelling.suggestion(for: environment, among: keys))
    }
}

/// Problems in the text of a file, because of which a command failed: the cause of a `CommandError`.
struct FileProblems: Error {
    /// The file, as messages name it.
    let file: String
    let problems: [Diagnostic]
}
