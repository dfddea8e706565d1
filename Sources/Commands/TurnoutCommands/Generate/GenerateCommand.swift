import TurnoutCodeGeneration
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// `turnout generate`: writes Swift code for the flags of a datafile or project file, or reports which ones code uses.
enum GenerateCommand: Command {
    static let syntax = CommandSyntax(
        name: "generate", summary: "Writes Swift types for flags, and reports which flags code uses.",
        discussion: """
            `generate swift` writes a struct Flags with a method for each flag: flags.checkout(for: user).steps is an \
            Int. A flag that is no longer in the datafile is then an error of the compiler. Keys become Swift names: \
            checkout_redesign is checkoutRedesign. The same flags always give the same bytes. The build tool plugin \
            TurnoutFlagsPlugin writes the same code for a datafile in each build.

            A project file gives the flags with the variations of all its environments, unless --environment names \
            one, and its descriptions as comments.

            `generate --report` lists the flags that the code in SOURCES uses, with file and line, the flags that it \
            does not use, and those that the datafile lacks. It finds typed calls, such as flags.checkout(for: user), \
            and calls with a key, such as decide("checkout") and isFeatureEnabled(featureKey: "checkout"). Of calls \
            with a computed key it gives the places.

            With --check, nothing is written, and the exit code is 3 if FILE is not what would be written, or if the \
            code in SOURCES uses flags that the datafile lacks.
            """,
        operands: .init(
            "swift|SOURCES...", "The language of the code; with --report, Swift files and folders.",
            count: 0...Int.max, choices: .words(["swift"])),
        options: [
            .value("--datafile", "FILE", "The datafile, or a project file; - reads standard input.").short("d")
                .required(),
            .value("--environment", "KEY", "Only the variations of this environment of a project file.").short("e"),
            .value("--to", "FILE", "The file of the code; standard output by default."),
            .value("--access", "LEVEL", "The access level of the code.").oneOf(
                SwiftFlags.Access.allCases.map(\.rawValue)
            ).byDefault(SwiftFlags.Access.internal.rawValue),
            .toggle("--check", "Write nothing; fail if anything is out of date."),
            .toggle("--report", "Report which flags the code in SOURCES uses."),
            .value("--output", "FORMAT", "How to print the report: text for people, json for programs.").oneOf(
                "text", "json"
            ).byDefault("text"),
        ],
        examples: [
            "turnout generate swift -d shop.json --to Sources/Shop/Flags.swift": "Write the code.",
            "turnout generate swift -d shop.json --to Sources/Shop/Flags.swift --check":
                "Fail in continuous integration if the file is out of date.",
            "turnout generate --report -d shop.json Sources": "Find unused and missing flags.",
        ],
        json: [
            "files": "How many source files were read.",
            "stale[]": "Flags that the sources use, and the datafile lacks: flag and uses.",
            "unused": "The keys of flags that the sources do not use.",
            "mentioned[]": "Flags whose keys only occur as text: flag and uses.",
            "used[]": "Flags that the sources use: flag and uses.",
            "computed[]": "Uses whose key is computed: file, line and code.",
            "used[].uses[]": "file, line and code; likewise of the other lists.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        guard !arguments.has("--report") else { return try report(arguments) }
        guard let language = arguments.operands.first else { throw UsageError.missing(anyOf: ["swift", "--report"]) }
        guard language == "swift", arguments.operands.count == 1 else {
            throw UsageError.unexpectedOperand(language == "swift" ? arguments.operands[1] : language)
        }
        if arguments.has("--output") { throw UsageError.missing(anyOf: ["--report"]) }
        let file = arguments.value("--to")
        if arguments.has("--check"), file == nil { throw UsageError.missing(anyOf: ["--to"]) }
        let access = SwiftFlags.Access(rawValue: arguments["--access"]) ?? .internal
        let code = SwiftFlags(try schema(arguments), access: access).text
        switch file {
        case nil: try StandardStream.output.print(code, "the code")
        case let file? where arguments.has("--check"): return try check(code, file: file)
        case let file?: try OutputFile.write(Array(code.utf8), to: file)
        }
        return 0
    }

    private static func report(_ arguments: ParsedArguments) throws -> Int32 {
        try arguments.exclude("--report", "--access", "--to")
        guard !arguments.operands.isEmpty else { throw UsageError.missing(anyOf: ["SOURCES"]) }
        var report = FlagReport(try schema(arguments))
        for file in try SourceFiles.swiftFiles(in: arguments.operands) {
            report.add(try InputFile(file).readAll(), file: file)
        }
        let text = CommandResult(arguments).isJSON ? report.json : report.report.text(for: Terminal(.output))
        try StandardStream.output.print(text, "the report")
        return arguments.has("--check") && report.hasStaleUses ? differenceExitCode : 0
    }

    private static func schema(_ arguments: ParsedArguments) throws(CommandError) -> FlagSchema {
        try FlagSchema.load(arguments["--datafile"], environment: arguments.value("--environment"))
    }

    private static func check(_ code: String, file: String) throws(CommandError) -> Int32 {
        let contents = String(decoding: try InputFile(file).readAll(), as: UTF8.self)
        guard let difference = GeneratedFile.difference(between: contents, and: code) else { return 0 }
        let error = CommandError(
            "\(file): is out of date: \(difference)",
            advice: "Run the same command without --check, and commit the file.")
        StandardStream.error.put(error.report)
        return differenceExitCode
    }
}

/// Compares generated code with the code in a file, flag by flag.
package enum GeneratedFile {
    /// The difference between a file and the code that would be generated today; nil if they are equal.
    ///
    /// `checkout was removed, dark_mode changed, search was added`; of many flags, the first 20.
    package static func difference(between file: String, and current: String) -> String? {
        guard file != current else { return nil }
        let (old, new) = (blocks(of: file), blocks(of: current))
        var changes: [String] = []
        for flag in Set(old.keys).union(new.keys).sorted() where !flag.isEmpty {
            switch (old[flag], new[flag]) {
            case (_, nil): changes.append("\(flag) was removed")
            case (nil, _): changes.append("\(flag) was added")
            case (let before, let after): if before != after { changes.append("\(flag) changed") }
            }
        }
        guard !changes.isEmpty else { return "the code outside of the flags changed" }
        let more = changes.count > limit ? [(changes.count - limit).grouped + " more"] : []
        return (changes.prefix(limit) + more).joined(separator: ", ")
    }

    private static let limit = 20

    /// The lines of each flag by its mark, and those before the first one under the empty key.
    private static func blocks(of text: String) -> [String: [Substring]] {
        let start = SwiftFlags.mark(of: "")
        var flag = ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).reduce(into: [:]) { blocks, line in
            if line.hasPrefix(start) { flag = String(line.dropFirst(start.count)) }
            blocks[flag, default: []].append(line)
        }
    }
}

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
