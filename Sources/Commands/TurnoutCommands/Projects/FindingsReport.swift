import TurnoutCommandIO
import TurnoutEngine
package import TurnoutFlags
import TurnoutReports

/// Problems and findings of files, in the formats that people and CI systems read.
package struct FindingsReport {
    /// The formats of `--output`.
    package enum Format: String, CaseIterable {
        case text
        case json
        /// SARIF 2.1.0 (OASIS, 2023), which code hosts show beside the changed lines.
        case sarif
        /// Workflow commands of GitHub Actions, which become annotations.
        case github
    }

    private var findings: [(file: String, finding: Diagnostic)] = []
    /// Whether a finding can be silenced in the file that it is about.
    private var canSilence = false

    /// Creates a report without findings.
    package init() {}

    /// Adds the findings of a file, each once. Those of a datafile cannot be silenced in it.
    package mutating func add(_ diagnostics: [Diagnostic], in file: String, isDatafile: Bool = false) {
        findings += diagnostics.map { (file, $0) }
        canSilence = canSilence || (!isDatafile && diagnostics.contains { $0.severity != .error })
    }

    /// Adds the reasons why a file cannot be checked. They are in the file or in its lock.
    mutating func add(_ error: CommandError, in file: String) {
        if let problems = error.underlyingError as? FileProblems { return add(problems.problems, in: problems.file) }
        let lockPath = ProjectSource.lockPath(besides: file)
        let place = error.message.starts(with: lockPath + ": ") ? lockPath : file
        let name = (place == "-" ? "standard input" : place) + ": "
        let message = error.message.starts(with: name) ? String(error.message.dropFirst(name.count)) : error.message
        add(
            [Diagnostic(.error, SyntaxProblem.unreadableFile.rawValue, message, advice: error.advice)], in: place)
    }

    /// The most serious finding, or nil if there is none.
    package var worst: Diagnostic.Severity? { findings.map(\.finding.severity).max() }

    /// The whole report. Text is wrapped at the width; nil keeps each sentence in a line.
    package func text(as format: Format, width: Int? = nil, hasColor: Bool = false) -> String {
        switch format {
        case .text: report.text(width: width, hasColor: hasColor)
        case .json:
            // The members that `turnout lint --help` explains.
            CommandResult.json(["findings": .array(findings.map { .object($1.members(in: $0)) })])
        case .sarif: SARIFReport(findings).text
        case .github: github
        }
    }

    // MARK: Text

    private var report: Report {
        var lines = findings.flatMap { file, finding in
            [.line(Self.headline(finding, in: file))]
                + (finding.advice.map { [Report.Block.sentence($0, .dim, depth: 2, hang: 0)] } ?? [])
        }
        lines.append(.sentence(summary, hang: 0))
        if canSilence {
            let silencing = LintRule.silencing("CODE") + " `turnout lint --codes` explains all codes."
            lines.append(.sentence(silencing, hang: 0))
        }
        return Report(lines)
    }

    /// `flags.yaml:12:5: error: unknown key "tarffic" [unknown-key]`
    private static func headline(_ finding: Diagnostic, in file: String) -> Report.Line {
        let style: TextStyle =
            switch finding.severity {
            case .error: .red
            case .warning: .yellow
            case .note: .cyan
            }
        let position = finding.position.map { ":\($0.line):\($0.column)" } ?? ""
        return .init(texts: [
            .init((file == "-" ? "standard input" : file) + position, .bold), ": ",
            .init(finding.severity.rawValue, style), .init(": \(finding.message) [\(finding.code)]"),
        ])
    }

    private var summary: String {
        let counts = [Diagnostic.Severity.error, .warning, .note].compactMap { severity -> String? in
            let count = findings.count { $0.finding.severity == severity }
            return count == 0 ? nil : count.grouped("\(severity)")
        }
        return counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
    }

    // MARK: Machines

    private var github: String {
        findings.map { file, finding in
            let level = finding.severity == .note ? "notice" : finding.severity.rawValue
            let place = finding.position.map { ",line=\($0.line),col=\($0.column)" } ?? ""
            let message = finding.sentences.printable + (finding.severity == .error ? "" : " [ignore: \(finding.code)]")
            let file = file.printable.escapedProperty
            return "::\(level) file=\(file)\(place),title=\(finding.code)::\(message.escapedData)\n"
        }.joined()
    }
}

extension Diagnostic {
    /// The message and the advice as sentences.
    var sentences: String {
        guard let advice else { return message + "." }
        return "\(message). \(advice.prefix(1).uppercased())\(advice.dropFirst())"
    }

    /// The members of a finding in JSON.
    func members(in file: String) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "file": .string(file), "severity": .string(severity.rawValue), "code": .string(code),
            "message": .string(message),
        ]
        if let position {
            members["line"] = .integer(Int64(position.line))
            members["column"] = .integer(Int64(position.column))
        }
        if let advice { members["advice"] = .string(advice) }
        return members
    }
}

extension String {
    /// Escaped for the message of a workflow command.
    fileprivate var escapedData: String {
        reduce(into: "") { text, character in
            switch character {
            case "%": text += "%25"
            case "\r": text += "%0D"
            case "\n", "\r\n": text += "%0A"
            default: text.append(character)
            }
        }
    }

    /// Escaped for a property of a workflow command.
    fileprivate var escapedProperty: String {
        escapedData.reduce(into: "") { text, character in
            switch character {
            case ":": text += "%3A"
            case ",": text += "%2C"
            default: text.append(character)
            }
        }
    }
}
