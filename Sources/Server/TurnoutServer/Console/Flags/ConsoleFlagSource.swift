import TurnoutClient
import TurnoutEngine
import TurnoutFlags

/// Reads the flags for pages and routes: from the project file, or else from the served datafiles.
final class ConsoleFlagSource: Sendable {
    private struct State {
        var version: [String] = []
        var flags = ConsoleFlags()
        /// The projects of datafiles, by entity tag.
        var imports: [String: AuthoredProject] = [:]
    }

    /// The project file; nil if there is none.
    let file: (any FlagsFile)?
    private let datafiles: DatafileDirectory
    private let state = Locked(State())

    init(_ file: (any FlagsFile)?, _ datafiles: DatafileDirectory) {
        (self.file, self.datafiles) = (file, datafiles)
    }

    /// The flags as they are now. Blocks for files; what has not changed is not read again.
    var flags: ConsoleFlags {
        let served = datafiles.datafiles.sorted { $0.sdkKey < $1.sdkKey }
        var (content, problems) = (FlagsFileContent?.none, [String]())
        if let file {
            do { content = try file.read() } catch {
                let reason = (error as? FlagsFileProblem)?.description ?? "\(file.name) cannot be read"
                problems.append("These are the flags that are served. The project file is another one now: \(reason)")
            }
        }
        let unserved = datafiles.problems.first { $0.key.split(separator: "/").last.map(String.init) == file?.name }
        if let unserved, content != nil {
            problems.append(
                "\(file?.name ?? "") is not served as it is here: the version before stays in use, because "
                    + unserved.value.description + ".")
        }
        let version = [content?.tag ?? "", problems.joined()] + served.map { $0.sdkKey + $0.entityTag }
        return state.withLock { [file, content, problems] state in
            if state.version == version { return state.flags }
            if let content {
                state.flags = ConsoleFlags(content, served)
                state.flags.problems = problems
            } else {
                let imported = Self.projects(of: served, &state.imports)
                state.flags = ConsoleFlags(imported.projects)
                state.flags.problems = problems + imported.problems
            }
            state.flags.file = content == nil ? nil : file?.name
            state.version = version
            return state.flags
        }
    }

    private static func projects(
        of served: [ServedDatafile], _ known: inout [String: AuthoredProject]
    ) -> (projects: [(ServedDatafile, AuthoredProject)], problems: [String]) {
        var (projects, problems) = ([(ServedDatafile, AuthoredProject)](), [String]())
        var imports: [String: AuthoredProject] = [:]
        for datafile in served {
            do throws(DatafileError) {
                var project = known[datafile.entityTag]
                if project == nil {
                    project = try DatafileImport(datafile.content.bytes, environment: datafile.environment).project
                }
                imports[datafile.entityTag] = project
                if let project { projects.append((datafile, project)) }
            } catch {
                problems.append("The flags of \(datafile.environment) cannot be shown: \(error)")
            }
        }
        known = imports
        return (projects, problems)
    }
}

extension ConsoleFlags {
    /// The flags of a project file.
    fileprivate init(_ content: FlagsFileContent, _ served: [ServedDatafile]) {
        let project = content.project
        environments = project.environments.map { environment in
            let datafile =
                served.first { environment.sdkKeys.contains($0.sdkKey) }
                ?? served.first { $0.environment == environment.key }
            return Environment(name: environment.key, served: datafile, attributes: project.attributes.map(\.key))
        }
        findings = content.findings
        flags = project.flags.map { flag in
            Flag(
                key: flag.key, sides: project.environments.map { flag.resolved(in: $0.key) },
                findings: content.findingsByFlag[flag.key] ?? [],
                limits: project.limits(on: flag.key), shares: project.shares(of: flag.key))
        }
    }

    /// The flags of datafiles, each of which is an environment.
    fileprivate init(_ projects: [(served: ServedDatafile, project: AuthoredProject)]) {
        let names = projects.map(\.served.environment)
        environments = projects.map { served, project in
            let isUnique = names.count { $0 == served.environment } == 1
            return Environment(
                name: served.environment + (isUnique ? "" : " \(served.sdkKey.keyLabel)"), served: served,
                attributes: project.attributes.map(\.key))
        }
        let sides = projects.map { served, project in
            Dictionary(project.flags.map { ($0.key, $0.resolved(in: served.environment)) }) { first, _ in first }
        }
        var known: Set<String> = []
        flags = projects.flatMap { _, project in
            project.flags.filter { known.insert($0.key).inserted }.map { flag in
                Flag(
                    key: flag.key, sides: sides.map { $0[flag.key] }, findings: [],
                    limits: project.limits(on: flag.key), shares: project.shares(of: flag.key))
            }
        }
    }
}
