/// Manual pages in the format of man(7), made from the syntax of the commands.
package struct ManualPage {
    /// The name of the page: `turnout` or `turnout-decide`.
    package let name: String
    package let text: String

    /// The page of the tool, followed by one for each command.
    package static func all(for syntax: ToolSyntax, version: String) -> [ManualPage] {
        [ManualPage(syntax, version: version)] + syntax.commands.map { ManualPage($0, version: version) }
    }

    private init(_ syntax: ToolSyntax, version: String) {
        name = syntax.name
        var page = RoffText(name: syntax.name, version: version, summary: syntax.summary)
        page.addHeading("SYNOPSIS")
        page.addParagraph("\(syntax.name) COMMAND [OPTIONS]", isBold: true)
        page.addHeading("COMMANDS")
        for command in syntax.commands { page.addEntry("\(syntax.name) \(command.name)", command.summary) }
        page.addHeading("EXIT STATUS")
        page.addParagraph(ToolSyntax.exitCodes)
        page.addHeading("SEE ALSO")
        page.addParagraph(syntax.commands.map { "\(syntax.name)-\($0.name)(1)" }.joined(separator: ", "))
        text = page.text
    }

    private init(_ command: CommandSyntax, version: String) {
        name = "\(command.tool)-\(command.name)"
        var page = RoffText(name: name, version: version, summary: command.summary)
        page.addHeading("SYNOPSIS")
        page.addParagraph(command.usage, isBold: true)
        if !command.discussion.isEmpty {
            page.addHeading("DESCRIPTION")
            page.addParagraphs(command.discussion)
        }
        if let operands = command.operands {
            page.addHeading("ARGUMENTS")
            page.addEntry(operands.usage, operands.help)
        }
        page.addHeading("OPTIONS")
        for option in command.options {
            page.addEntry((option.letter.map { "-\($0), " } ?? "") + option.usage, option.explanation)
        }
        page.addEntry("-h, --help", "Show a summary of this page.")
        if !command.json.isEmpty { page.addHeading("JSON") }
        for member in command.json { page.addEntry(member.text, member.meaning) }
        page.addHeading("EXIT STATUS")
        page.addParagraph(ToolSyntax.exitCodes)
        if !command.examples.isEmpty { page.addHeading("EXAMPLES") }
        for example in command.examples { page.addEntry(example.text, example.meaning) }
        text = page.text
    }
}

/// Builds a page in the macros of man(7).
private struct RoffText {
    private(set) var text: String

    init(name: String, version: String, summary: String) {
        text = ".TH \(name.uppercased()) 1 \"\" \"turnout \(version)\" \"Turnout\"\n.nh\n.ad l\n"
        addHeading("NAME")
        text += "\(Self.escaped(name)) \\- \(Self.escaped(summary))\n"
    }

    mutating func addHeading(_ title: String) { text += ".SH \(title)\n" }

    mutating func addParagraph(_ paragraph: String, isBold: Bool = false) {
        text += isBold ? ".B \(Self.escaped(paragraph))\n" : ".PP\n\(Self.escaped(paragraph))\n"
    }

    /// Paragraphs separated by blank lines; lines that start with a space stay as they are.
    mutating func addParagraphs(_ paragraphs: String) {
        text += ".PP\n"
        for line in paragraphs.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                text += ".PP\n"
            } else if line.first == " " {
                text += ".nf\n\(Self.escaped(String(line)))\n.fi\n"
            } else {
                text += Self.escaped(String(line)) + "\n"
            }
        }
    }

    mutating func addEntry(_ label: String, _ explanation: String) {
        text += ".TP\n.B \(Self.escaped(label))\n\(Self.escaped(explanation))\n"
    }

    /// Backslashes and dashes are escaped, and so are dots and quotes at the start of a line, which begin a request.
    private static func escaped(_ text: String) -> String {
        let escaped = text.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "\"": text += "\\(dq"
            default: text.append(character)
            }
        }
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
