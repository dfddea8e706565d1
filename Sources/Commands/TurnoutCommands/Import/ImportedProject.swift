import TurnoutEngine
import TurnoutFlags

#if YAML
    import TurnoutYAML
#endif

/// A project made of a datafile.
struct ImportedProject {
    /// The name of the project file: YAML, if this build can write it.
    static var fileName: String {
        #if YAML
            ProjectSource.defaultName
        #else
            "flags.json"
        #endif
    }

    /// The name of the file that was read.
    let name: String
    /// The text of the project file.
    let text: String
    /// The ids and the traffic.
    let lock: LockFile
    /// What is carried verbatim or left out.
    let notes: [Diagnostic]

    /// Reads a file; `-` is standard input.
    init(_ file: String, environment: String?) throws(CommandError) {
        let input = try InputFile(file)
        name = input.name
        let bytes = try input.readAll()
        let imported: DatafileImport
        do throws(DatafileError) { imported = try DatafileImport(bytes, environment: environment) } catch {
            throw CommandError("\(name): \(error)", advice: "Is it a datafile of version 4?")
        }
        lock = imported.lock
        notes = imported.notes
        let node = ProjectWriter.node(of: imported.project)
        #if YAML
            text = node.yaml()
        #else
            text = node.json
        #endif
    }
}
