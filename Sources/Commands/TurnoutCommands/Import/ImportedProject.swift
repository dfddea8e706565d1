import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

#if YAML
    import TurnoutYAML
#endif

/// A project created from a datafile.
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
    /// The members that are carried verbatim or left out.
    let notes: [Diagnostic]

    /// Reads a file; `-` is standard input.
    init(_ file: String, environment: String?) throws(CommandError) {
        let input = try InputFile(file)
        name = input.name
        let bytes = try input.readAll()
        let imported: DatafileImport
        do throws(DatafileError) { imported = try DatafileImport(bytes, environment: environment) } catch {
            throw CommandError("\(name): \(error)", advice: "Only datafiles of version 4 can be imported.")
        }
        let project = imported.projectIgnoringMissingMetrics
        lock = imported.lock
        let note = DatafileImport.noteOnMetrics
        let isSilenced = project != imported.project
        notes = imported.notes + (isSilenced ? [note] : [])
        let comments: [[String]: String] = isSilenced ? [[]: Self.comment(note)] : [:]
        let node = ProjectWriter.node(of: project)
        #if YAML
            text = node.yaml(comments: comments)
        #else
            text = node.json
        #endif
        do throws(Diagnostics) { try Self.check(text, lock) } catch {
            throw CommandError(
                "\(name): the project file would not compile: "
                    + (error.all.first { $0.severity == .error }?.text(in: Self.fileName) ?? ""),
                advice: "Nothing was written. Correct this in the file, or choose another --environment.")
        }
    }

    /// Throws if what is going to be written cannot be read and compiled.
    private static func check(_ text: String, _ lock: LockFile) throws(Diagnostics) {
        let source = SourceFile(name: fileName, bytes: Array(text.utf8))
        let root: Node
        do throws(Diagnostic) { root = try ProjectSource.node(of: source, named: fileName) } catch {
            throw Diagnostics([error])
        }
        let lock = try LockFile(text: lock.text)
        let project = try ProjectReader.read(root, in: source, lock: lock)
        let problems = ProjectCompiler(project, lock: lock, source: source).compile().diagnostics.all
        let all = Diagnostics(problems + ProjectLint(project, source: source).environmentErrors.all)
        guard !all.hasErrors else { throw all }
    }

    /// A note as the comment at the head of a file.
    private static func comment(_ note: Diagnostic) -> String {
        let text = note.message.prefix(1).uppercased() + note.message.dropFirst() + ". " + (note.advice ?? "")
        return text.lines(ofWidth: 80).joined(separator: "\n")
    }
}
