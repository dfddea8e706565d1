import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout import`: creates a project file from a datafile.
struct ImportCommand: Command {
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
            .init("turnout import datafile.json", "Write flags.yaml and turnout.lock."),
            .init("turnout import datafile.json --into shop", "Write both files into the folder shop."),
        ],
        json: [
            .init("files", "The files that were written."),
            .init("notes", "What is carried or left out, instead of lines on standard error."),
            .init("notes[].file", "The file, as the command line names it."),
            .init("notes[].line, notes[].column", "The place, counted from 1; missing if it has none."),
            .init("notes[].severity", "error, warning or note."),
            .init("notes[].code", "The kind of finding."),
            .init("notes[].message", "What was found."),
            .init("notes[].advice", "Why it matters and what to do; may be missing."),
        ])

    private let imported: ImportedProject
    private let folder: String
    private let replaces: Bool
    private let result: CommandResult

    init(_ arguments: ParsedArguments) throws {
        imported = try ImportedProject(
            arguments.operands[0], environment: arguments.value("--environment"))
        folder = arguments.value("--into") ?? "."
        replaces = arguments.has("--force")
        result = CommandResult(arguments)
    }

    func run() throws -> Int32 {
        let prefix = folder == "." ? "" : folder + "/"
        let files = [
            (prefix + ImportedProject.fileName, Array(imported.text.utf8)),
            (prefix + ProjectSource.lockName, Array(imported.lock.text.utf8)),
        ]
        if !replaces, let file = files.map(\.0).first(where: OutputFile.exists) {
            throw CommandError(
                "\(file): exists already; nothing was written", advice: "Choose another --into, or add --force.")
        }
        if !prefix.isEmpty { try OutputFile.createFolder(folder) }
        try OutputFile.write(files.map { (name: $0, bytes: $1) })
        for note in imported.notes where !result.isJSON {
            StandardStream.error.put(note.text(in: imported.name).printable + "\n")
        }
        try result.print(
            "wrote \(files.map(\.0).joined(separator: " and "))\n",
            [
                "files": .strings(files.map(\.0)),
                "notes": .array(imported.notes.map { .object($0.members(in: imported.name)) }),
            ])
        return 0
    }
}
