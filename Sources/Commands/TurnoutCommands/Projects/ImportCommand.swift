import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

#if YAML
    import TurnoutYAML
#endif

/// `turnout import`: creates a project file from a datafile.
enum ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import", summary: "Creates a project file from a datafile.",
        discussion: """
            All ids and all traffic are kept, so every user keeps the variation: what the project file compiles to \
            decides as the datafile does. Members that it cannot express are kept in `datafile:` and named.
            """,
        operands: .init("FILE", "The file to read; - reads standard input.", count: 1...1),
        options: [
            .value("--environment", "KEY", "The environment of the file. Default: that of the datafile, or production.")
                .short("e"),
            .value("--into", "FOLDER", "Where to write both files. Default: the current folder."),
            .toggle("--force", "Replace existing files."), CommandResult.option,
        ],
        examples: [
            "turnout import datafile.json": "Write flags.yaml and turnout.lock.",
            "turnout import datafile.json --into shop": "Write both files into the folder shop.",
        ],
        json: [
            "files": "The files that were written.",
            "notes": "What is carried or left out, instead of lines on standard error.",
            "notes[].file": "The file, as the command line names it.",
            "notes[].line, notes[].column": "The place, counted from 1; missing if it has none.",
            "notes[].severity": "error, warning or note.",
            "notes[].code": "The kind of finding.",
            "notes[].message": "What was found.",
            "notes[].advice": "Why it matters and what to do; may be missing.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let imported = try ImportedProject(arguments.operands[0], environment: arguments.value("--environment"))
        let (folder, result) = (arguments.value("--into") ?? ".", CommandResult(arguments))
        let prefix = folder == "." ? "" : folder + "/"
        let files = [
            (name: prefix + ImportedProject.fileName, bytes: Array(imported.text.utf8)),
            (name: prefix + ProjectSource.lockName, bytes: Array(imported.lock.text.utf8)),
        ]
        let names = files.map(\.name)
        if !arguments.has("--force"), let file = names.first(where: OutputFile.exists) {
            throw CommandError(
                "\(file): exists already; nothing was written", advice: "Choose another --into, or add --force.")
        }
        if !prefix.isEmpty { try OutputFile.createFolder(folder) }
        try OutputFile.write(files)
        for note in imported.notes where !result.isJSON {
            StandardStream.error.put(note.text(in: imported.name).printable + "\n")
        }
        let notes = imported.notes.map { JSONValue.object($0.members(in: imported.name)) }
        try result.print(
            "wrote \(names.joined(separator: " and "))\n", ["files": .strings(names), "notes": .array(notes)])
        return 0
    }
}

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
