import TurnoutCodeGeneration
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

extension FlagSchema {
    /// Reads the flags of the datafile or project file that a command line names.
    ///
    /// Flags of a project file have the variations of all environments, unless one is named, and the descriptions that
    /// the datafiles of the project lack. Ids do not matter, so a missing lock is not a problem.
    static func load(_ name: String, environment: String?) throws(CommandError) -> FlagSchema {
        let bytes = try InputFile(name).readAll()
        guard ProjectSource.isProject(name, bytes) else {
            if let environment { throw CommandError(environment: environment, ofDatafile: name) }
            return try read(bytes, named: name == "-" ? "standard input" : name)
        }
        let source = try ProjectSource(name, bytes: bytes)
        let project = try source.validProject()
        let compiled = try source.compiled()
        var schemas: [FlagSchema] = []
        for key in environment.map({ [$0] }) ?? compiled.datafiles.map(\.environment) {
            schemas.append(try read(try compiled.datafile(of: key, in: source), named: "\(source.file.name), \(key)"))
        }
        return FlagSchema(schemas, of: project)
    }

    private static func read(_ datafile: [UInt8], named name: String) throws(CommandError) -> FlagSchema {
        do throws(DatafileError) { return try FlagSchema(datafile: datafile) } catch {
            throw CommandError(error, in: name)
        }
    }

    /// The flags of a project whose datafiles have these flags.
    private init(_ schemas: [FlagSchema], of project: AuthoredProject) {
        let authored = Dictionary(project.flags.map { ($0.key, $0) }) { $1 }
        let flags = Dictionary(grouping: schemas.flatMap(\.flags), by: \.key)
        self.init(flags: flags.map { key, versions in Flag(key: key, versions, of: authored[key]) })
    }
}

extension FlagSchema.Flag {
    /// A flag of a project, with the variations that it has in several environments.
    fileprivate init(key: String, _ versions: [FlagSchema.Flag], of flag: AuthoredFlag?) {
        let variables = Dictionary(flag?.variables.map { ($0.key, $0) } ?? []) { $1 }
        self.init(
            key: key, description: flag?.description ?? versions.first?.description,
            variations: versions.flatMap(\.variations),
            variables: versions.flatMap(\.variables).map { variable in
                var variable = variable
                variable.description = variables[variable.key]?.description ?? variable.description
                return variable
            })
    }
}
