import TurnoutEngine
import TurnoutFlags

extension Project {
    /// Reads the datafile that a command line names.
    static func load(_ name: String) throws(CommandError) -> Project {
        let file = try InputFile(name)
        let name = file.name
        return try read(try file.readAll(), named: name)
    }

    /// Reads the bytes of a datafile; the name is for errors.
    static func read(_ bytes: [UInt8], named name: String) throws(CommandError) -> Project {
        do throws(DatafileError) {
            return try Project(datafile: bytes)
        } catch {
            switch error {
            case .invalid(let error):
                throw CommandError(
                    error, in: name, advice: "Nothing was decided. Download the datafile again.")
            case .unsupportedVersion(let version):
                throw CommandError(
                    "\(name): $.version: version \"\(version)\" is not supported",
                    advice: "Turnout reads datafiles of version 4.")
            }
        }
    }

    /// Throws if the datafile lacks a flag that the command line names.
    func checkFlags(_ names: [String]) throws(CommandError) {
        let keys = flags.map(\.key)
        for name in names where flag(name) == nil {
            let nearest = Spelling.nearest(to: name, among: keys).map { "Did you mean \"\($0)\"?" }
            throw CommandError(
                "the datafile has no flag \"\(name)\"",
                advice: nearest ?? "\"turnout inspect\" lists the flags of a datafile.")
        }
    }
}
