import TurnoutReports

#if Server
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutEngine
    import TurnoutFlags
    import TurnoutServer

    /// The sources of datafiles that a configuration names.
    struct DatafileFiles: Sendable {
        private let configuration: ServerConfiguration
        private let log: StructuredLog

        init(_ configuration: ServerConfiguration, log: StructuredLog) {
            self.configuration = configuration
            self.log = log
        }

        /// The files to publish from and to watch: a project file, a datafile, folders of datafiles.
        func watched(into directory: DatafileDirectory, rollouts: RolloutDirectory) -> [WatchedDatafiles] {
            let folder = configuration.datafiles.map { self.folder($0, isNamedByKey: true, into: directory, rollouts) }
            let flags = configuration.flags.map { name in
                OutputFile.isFolder(name)
                    ? self.folder(name, isNamedByKey: false, into: directory, rollouts)
                    : file(name, into: directory, rollouts)
            }
            return [flags, folder].compactMap { $0 }
        }

        // MARK: A file

        private func file(
            _ name: String, into directory: DatafileDirectory, _ rollouts: RolloutDirectory
        ) -> WatchedDatafiles {
            let paths = [name, ProjectSource.lockPath(besides: name)]
            let hadLock = Locked(false)
            return WatchedDatafiles(
                name, into: directory, log: log, configure: Self.configure(rollouts, by: name)
            ) {
                paths.map(FileFingerprint.init(of:))
            } load: {
                do { return try contents(of: name, hadLock) } catch let error as CommandError {
                    throw DatafileSourceProblem(error.message, advice: error.advice)
                }
            }
        }

        private static func configure(
            _ rollouts: RolloutDirectory, by name: String
        ) -> @Sendable ([AuthoredConfiguration]) -> Void {
            { configurations in
                let documents = configurations.map(\.documents).reduce(into: [:]) { $0.merge($1) { first, _ in first } }
                rollouts.define(documents, by: name)
            }
        }

        /// The datafiles of a project file, or the file itself if it is a datafile, by SDK key.
        private func contents(
            of name: String, _ hadLock: borrowing Locked<Bool>
        ) throws -> WatchedDatafiles.Contents {
            let bytes = try InputFile(name, isRegular: true).readAll()
            let environment = configuration.environment
            guard ProjectSource.isProject(name, bytes) else {
                if environment != nil { throw Self.noEnvironment(name) }
                return .init([try Self.key(of: bytes, name): bytes])
            }
            let (source, compiled) = try compile(name, bytes)
            let note = source.missingLockNote
            if note != nil, hadLock.withLock({ $0 }) {
                throw CommandError(
                    "\(name): \(ProjectSource.lockName) beside it is gone, without which users move; restore it")
            }
            hadLock.withLock { $0 = note == nil }
            // Throws for an environment that does not exist.
            if let environment { _ = try compiled.datafile(of: environment, in: source) }
            var contents = WatchedDatafiles.Contents([:])
            contents.warnings = [note].compactMap { $0 }
            contents.configurations = source.project?.configurations ?? []
            contents.segments = source.project?.settings.segments?.defined ?? []
            for datafile in compiled.datafiles where environment == nil || datafile.environment == environment {
                let key = try Self.key(of: datafile.bytes, name, or: datafile.environment)
                contents.datafiles[key] = datafile.bytes
                contents.firstKey = contents.firstKey ?? key
                contents.designs.merge(datafile.designs) { first, _ in first }
            }
            return contents
        }

        /// A project file and what it compiles to. Its errors are thrown with their places and not printed: the log and
        /// the status tell them.
        private func compile(_ name: String, _ bytes: [UInt8]) throws -> (ProjectSource, CompiledProject) {
            do {
                let file = SourceFile(name: name, bytes: bytes)
                let root: Node
                do throws(Diagnostic) { root = try ProjectSource.node(of: file, named: name) } catch {
                    throw Diagnostics([error])
                }
                let source = try ProjectSource(name, file, root)
                return (source, try source.compile(segmentsHost: segmentsHost, isServed: true))
            } catch let error as Diagnostics {
                let errors = error.all.filter { $0.severity == .error }
                throw DatafileSourceProblem(
                    "\(name): \(errors.count.grouped("error"))", errors, in: name)
            }
        }

        /// The address that the datafiles of projects without a host for segments name: this server's. Nil if the
        /// system is to choose the port.
        private var segmentsHost: String? {
            if let address = configuration.publicAddress { return address }
            guard configuration.port > 0 else { return nil }
            return (configuration.certificate == nil ? "http" : "https") + "://localhost:\(configuration.port)"
        }

        private static func noEnvironment(_ name: String) -> CommandError {
            CommandError("\(name): has datafiles, and an environment can only be chosen from a project file")
        }

        // MARK: A folder

        /// The names that a project file may have in a folder.
        private static let projectNames = [ProjectSource.defaultName, "flags.yml", "flags.json"]

        /// The project file in a folder, and a message about the files that are then not used; nil if the path is no
        /// folder, or the folder has no project file.
        static func project(in folder: String) -> (file: String, message: String)? {
            guard OutputFile.isFolder(folder), let names = try? Folder.names(in: folder),
                let name = projectNames.first(where: { names.contains($0) && isProject(folder + "/" + $0) })
            else { return nil }
            let others = names.filter { $0 != name && isFlagsLike($0) }
            let unused = others.isEmpty ? "" : "; not used: " + list(others)
            return (folder + "/" + name, "\(folder): serving its project file \(name)\(unused)")
        }

        static func isProject(_ path: String) -> Bool {
            guard InputFile.isRegular(path), let bytes = try? InputFile(path).readAll() else { return false }
            return ProjectSource.isProject(path, bytes)
        }

        /// Whether a user could expect flags in a file of this name.
        private static func isFlagsLike(_ name: String) -> Bool {
            !name.hasPrefix(".") && [".json", ".yaml", ".yml"].contains(where: name.hasSuffix)
        }

        /// The first names of a list that may be long.
        private static func list(_ names: [String]) -> String {
            let rest = names.count > 10 ? " and \(names.count - 10) more" : ""
            return names.prefix(10).joined(separator: ", ") + rest
        }

        /// The datafiles of a folder. With `isNamedByKey` the names of files are the SDK keys, whatever the datafiles
        /// say. Without it, the folder is its project file as soon as it has one.
        private func folder(
            _ folder: String, isNamedByKey: Bool, into directory: DatafileDirectory, _ rollouts: RolloutDirectory
        ) -> WatchedDatafiles {
            let known = Locked<Set<String>>([])
            let hadLock = Locked(false)
            return WatchedDatafiles(
                folder, into: directory, log: log, configure: Self.configure(rollouts, by: folder)
            ) {
                // A folder that cannot be read has no files, and reading it reports why.
                let names = (try? Self.names(in: folder)) ?? []
                let projects = isNamedByKey ? [] : Self.projectNames + [ProjectSource.lockName]
                return ([folder] + (names + projects).map { folder + "/" + $0 }).map(FileFingerprint.init(of:))
            } load: {
                do {
                    if !isNamedByKey, let project = Self.project(in: folder) {
                        var contents = try contents(of: project.file, hadLock)
                        contents.warnings.append("\(project.message); the console can edit it after a restart")
                        return contents
                    }
                    if !isNamedByKey, configuration.environment != nil { throw Self.noEnvironment(folder) }
                    return try Self.contents(of: folder, isNamedByKey: isNamedByKey, known: known)
                } catch let error as CommandError {
                    throw DatafileSourceProblem(error.message, advice: error.advice)
                }
            }
        }

        /// The datafiles of a folder. Other JSON is not served; where it replaces a datafile that was, it is a mistake.
        private static func contents(
            of folder: String, isNamedByKey: Bool, known: borrowing Locked<Set<String>>
        ) throws -> WatchedDatafiles.Contents {
            var contents = WatchedDatafiles.Contents([:])
            var (unused, renamed, files): ([String], [String], [String: String]) = ([], [], [:])
            for name in try names(in: folder) {
                let bytes: [UInt8]
                let path = folder + "/" + name
                do throws(CommandError) { bytes = try InputFile(path).readAll() } catch {
                    contents.problems.append(error.message)
                    continue
                }
                do throws(CommandError) {
                    let named = try key(of: bytes, path)
                    let key = isNamedByKey ? stem(of: name) : named
                    if key != named { renamed.append(name) }
                    if let other = files.updateValue(name, forKey: key) {
                        contents.problems.append("\(path): has the SDK key of \(other); remove one of them")
                    }
                    contents.datafiles[key] = bytes
                    known.withLock { _ = $0.insert(name) }
                } catch {
                    let isDatafile = (try? JSONValue(parsing: bytes)).map { $0["version"] != nil } ?? true
                    guard isDatafile || known.withLock({ $0.contains(name) }) else {
                        unused.append(name)
                        continue
                    }
                    contents.problems.append(error.message)
                }
            }
            unused += try Folder.names(in: folder).filter { isFlagsLike($0) && !$0.hasSuffix(".json") }
            contents.warnings = warnings(folder, isNamedByKey, isEmpty: files.isEmpty, unused: unused)
            if !renamed.isEmpty {
                contents.warnings.append(
                    "\(folder): the names of files are the SDK keys, but other ones are in \(list(renamed)): clients "
                        + "with those are refused; use --flags to serve the keys in datafiles")
            }
            return contents
        }

        private static func warnings(
            _ folder: String, _ isNamedByKey: Bool, isEmpty: Bool, unused: [String]
        ) -> [String] {
            var warnings: [String] = []
            let project = ProjectSource.defaultName
            if isEmpty {
                let projects = isNamedByKey ? "" : " and no project file \(project)"
                warnings.append("\(folder): has no datafile\(projects): no flags are served from it")
            }
            guard !unused.isEmpty else { return warnings }
            let advice = isNamedByKey ? "use --flags for project files" : "a project file has the name \(project)"
            warnings.append("\(folder): not served, because not a datafile: \(list(unused)); \(advice)")
            return warnings
        }

        private static func names(in folder: String) throws(CommandError) -> [String] {
            try Folder.names(in: folder).filter {
                $0.hasSuffix(".json") && !$0.hasPrefix(".") && InputFile.isRegular(folder + "/" + $0)
            }
        }

        /// The SDK key of a datafile: its own, or a given one, or the name of its file.
        private static func key(
            of bytes: [UInt8], _ name: String, or other: String? = nil
        ) throws(CommandError) -> String {
            let project = try Project.read(bytes, named: name)
            if let key = project.sdkKey, !key.isEmpty { return key }
            return other ?? stem(of: name)
        }

        /// The name of a file without its folder and its ending.
        private static func stem(of path: String) -> String {
            let file = path.split(separator: "/").last.map(String.init) ?? path
            return file.hasSuffix(".json") ? String(file.dropLast(5)) : file
        }
    }
#endif
