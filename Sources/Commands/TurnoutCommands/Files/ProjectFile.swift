import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

extension Project {
    /// Reads the datafile that a command line names, or compiles the project file for an environment. A project with
    /// a single environment needs no name.
    ///
    /// A project file without a lock causes a note. If the project is compared with another one, which is perhaps that
    /// of a project file, the environment of a datafile is ignored, and a missing lock causes a warning.
    static func load(
        _ name: String, environment: String? = nil, isCompared: Bool = false
    ) throws(CommandError) -> Project {
        let bytes = try InputFile(name).readAll()
        guard ProjectSource.isProject(name, bytes) else {
            if let environment, !isCompared {
                throw CommandError(environment: environment, ofDatafile: name)
            }
            return try read(bytes, named: name == "-" ? "standard input" : name)
        }
        let source = try ProjectSource(name, bytes: bytes)
        let compiled = try source.compiled()
        if let note = source.missingLockNote {
            if isCompared { source.warnOfMissingLock() } else { StandardStream.error.put("turnout: note: \(note)\n") }
        }
        let keys = compiled.datafiles.map(\.environment)
        guard let key = environment ?? (keys.count == 1 ? keys[0] : nil) else {
            throw CommandError(
                "\(source.file.name): has the environments \(keys.joined(separator: ", "))",
                advice: "Choose one with --environment.")
        }
        return try read(try compiled.datafile(of: key, in: source), named: "\(source.file.name), \(key)")
    }

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
