import TurnoutCodeGeneration
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout generate`: writes Swift code for the flags of a datafile or project file, or reports which ones code uses.
struct GenerateCommand: Command {
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
            count: 0...Int.max, words: ["swift"]),
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
            .init("turnout generate swift -d shop.json --to Sources/Shop/Flags.swift", "Write the code."),
            .init(
                "turnout generate swift -d shop.json --to Sources/Shop/Flags.swift --check",
                "Fail in continuous integration if the file is out of date."),
            .init("turnout generate --report -d shop.json Sources", "Find unused and missing flags."),
        ],
        json: [
            .init("files", "How many source files were read."),
            .init("stale[]", "Flags that the sources use, and the datafile lacks: flag and uses."),
            .init("unused", "The keys of flags that the sources do not use."),
            .init("mentioned[]", "Flags whose keys only occur as text: flag and uses."),
            .init("used[]", "Flags that the sources use: flag and uses."),
            .init("computed[]", "Uses whose key is computed: file, line and code."),
            .init("used[].uses[]", "file, line and code; likewise of the other lists."),
        ])

    private let action: Action

    private enum Action {
        case write(SwiftFlags, file: String?)
        case check(SwiftFlags, file: String)
        case report(FlagReport, isJSON: Bool, failsIfStale: Bool)
    }

    init(_ arguments: ParsedArguments) throws {
        action = try arguments.has("--report") ? Self.report(arguments) : Self.code(arguments)
    }

    private static func code(_ arguments: ParsedArguments) throws -> Action {
        guard let language = arguments.operands.first else { throw UsageError.missing(anyOf: ["swift", "--report"]) }
        guard language == "swift", arguments.operands.count == 1 else {
            throw UsageError.unexpectedOperand(language == "swift" ? arguments.operands[1] : language)
        }
        if arguments.has("--output") { throw UsageError.missing(anyOf: ["--report"]) }
        let file = arguments.value("--to")
        if arguments.has("--check"), file == nil { throw UsageError.missing(anyOf: ["--to"]) }
        let access = SwiftFlags.Access(rawValue: arguments["--access"]) ?? .internal
        let code = SwiftFlags(try schema(arguments), access: access)
        if let file, arguments.has("--check") { return .check(code, file: file) }
        return .write(code, file: file)
    }

    private static func report(_ arguments: ParsedArguments) throws -> Action {
        for option in ["--access", "--to"] where arguments.has(option) {
            throw UsageError.conflicting(option, "--report")
        }
        guard !arguments.operands.isEmpty else { throw UsageError.missing(anyOf: ["SOURCES"]) }
        var report = FlagReport(try schema(arguments))
        for file in try SourceFiles.swiftFiles(in: arguments.operands) {
            report.add(try InputFile(file).readAll(), file: file)
        }
        return .report(report, isJSON: arguments["--output"] == "json", failsIfStale: arguments.has("--check"))
    }

    private static func schema(_ arguments: ParsedArguments) throws -> FlagSchema {
        try FlagSchema.load(arguments["--datafile"], environment: arguments.value("--environment"))
    }

    func run() throws -> Int32 {
        switch action {
        case .write(let code, file: nil): try print(code.text, "the code")
        case .write(let code, let file?): try OutputFile.write(Array(code.text.utf8), to: file)
        case .check(let code, let file): return try check(code.text, file: file)
        case .report(let report, let isJSON, let failsIfStale):
            try print(isJSON ? report.json : report.text(hasColor: Terminal(.output).hasColor), "the report")
            if failsIfStale, report.hasStaleUses { return Self.differenceExitCode }
        }
        return 0
    }

    private func check(_ code: String, file: String) throws(CommandError) -> Int32 {
        let contents = String(decoding: try InputFile(file).readAll(), as: UTF8.self)
        guard let difference = GeneratedFile.difference(between: contents, and: code) else { return 0 }
        let report = CommandError(
            "\(file): is out of date: \(difference)",
            advice: "Run the same command without --check, and commit the file."
        ).report
        StandardStream.error.put(report)
        return Self.differenceExitCode
    }

    private func print(_ text: String, _ what: String) throws(CommandError) {
        guard StandardStream.output.put(text) else { throw .unwritten(what) }
    }
}
