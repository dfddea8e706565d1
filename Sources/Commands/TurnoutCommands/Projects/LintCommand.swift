import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout lint`: finds mistakes in project files and datafiles.
enum LintCommand: Command {
    static let syntax = CommandSyntax(
        name: "lint", summary: "Finds mistakes in a project file or a datafile.",
        discussion: """
            Errors keep a project from being compiled: unknown keys, unknown variations, impossible traffic. \
            Warnings and notes are probably mistakes: rules that are never reached, audiences that no user meets, \
            experiments without metrics. Each finding has a code. Write `ignore: [CODE]` into the part it is about, \
            or into the project, and it is no longer reported; `turnout lint --codes` explains all of them.

            The exit code is 3 if a finding is as serious as --fail-on says. It is 1 if a file or its lock cannot be \
            read: the formats for programs then have an error for it, and the other files are checked all the same.
            """,
        operands: .init("[FILE...]", "Project files or datafiles. Default: flags.yaml.", count: 0...Int.max),
        options: [
            .value("--output", "FORMAT", "How to print.").short("o")
                .oneOf(FindingsReport.Format.allCases.map(\.rawValue)).byDefault("text"),
            .value("--fail-on", "SEVERITY", "The least serious finding that fails.").oneOf("note", "warning", "error")
                .byDefault("warning"),
            .toggle("--codes", "Explain all codes instead."),
        ],
        examples: [
            "turnout lint": "Check flags.yaml.",
            "turnout lint --output github": "Annotate the lines of a pull request in GitHub Actions.",
            "turnout lint datafile.json --fail-on error": "Check a datafile, and fail only if it is unusable.",
        ],
        json: [
            "findings[].file": "The file, as the command line names it, or its lock.",
            "findings[].line, findings[].column": "The place, counted from 1; missing if it has none.",
            "findings[].severity": "error, warning or note.",
            "findings[].code": "The kind of finding.",
            "findings[].message": "What was found.",
            "findings[].advice": "Why it matters and what to do; may be missing.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let files = arguments.operands.isEmpty ? [ProjectSource.defaultName] : arguments.operands
        if files.count(where: { $0 == "-" }) > 1 { throw UsageError.repeatedOption("-") }
        let terminal = Terminal(.output)
        if arguments.has("--codes") {
            var help = HelpText(width: terminal.width, hasColor: false)
            help.addEntries(LintRule.all.map { ($0.code, "\($0.severity): \($0.explanation)") })
            try StandardStream.output.print(help.text, "the findings")
            return 0
        }
        let format = FindingsReport.Format(rawValue: arguments["--output"]) ?? .text
        var (report, isComplete) = (FindingsReport(), true)
        for file in files {
            do throws(CommandError) { try addFindings(in: file, to: &report) } catch {
                StandardStream.error.put(error.report)
                isComplete = false
                // People have read the errors above.
                if format != .text { report.add(error, in: file) }
            }
        }
        // Files that cannot be read are not reported as free of findings.
        if isComplete || report.worst != nil {
            let text = report.text(as: format, width: terminal.lineWidth, hasColor: terminal.hasColor)
            try StandardStream.output.print(text, "the findings")
        }
        guard isComplete else { return CommandError.exitCode }
        let limit = Diagnostic.Severity(rawValue: arguments["--fail-on"]) ?? .warning
        return report.worst.map { $0 >= limit } == true ? differenceExitCode : 0
    }

    /// The errors of a project, or else its findings. An error of syntax is the only finding.
    private static func addFindings(in file: String, to report: inout FindingsReport) throws(CommandError) {
        let text = SourceFile(name: file == "-" ? "standard input" : file, bytes: try ProjectSource.bytes(of: file))
        let root: Node
        do throws(Diagnostic) { root = try ProjectSource.node(of: text, named: file) } catch {
            return report.add([error], in: file)
        }
        let source = try ProjectSource(file, text, root)
        if let error = source.lostLock { throw error }
        guard !source.diagnostics.hasErrors, let project = source.project else {
            return report.add(source.diagnostics.all, in: file)
        }
        let lint =
            source.isDatafile
            ? ProjectLint(project, lock: source.lock, datafile: try Project.read(source.file.bytes, named: file))
            : ProjectLint(project, lock: source.lock, source: source.file)
        report.add(source.diagnostics.all + lint.findings, in: file, isDatafile: source.isDatafile)
    }
}
