extension CommandSyntax {
    /// The text of `turnout decide --help`.
    package func help(width: Int, hasColor: Bool = false) -> String {
        var help = HelpText(width: width, hasColor: hasColor)
        help.addUsage(usage)
        help.addParagraphs(summary)
        help.addParagraphs(discussion)
        if let operands {
            help.addHeading("Arguments")
            help.addEntries([(operands.usage, operands.help)])
        }
        help.addHeading("Options")
        help.addEntries(options.map { ($0.label, $0.explanation) } + [("-h, --help", "Show this help.")])
        if !examples.isEmpty { help.addHeading("Examples") }
        for example in examples { help.addExample(example) }
        if !json.isEmpty {
            help.addHeading("Members of the JSON")
            help.addEntries(json.map { ($0.path, $0.meaning) })
        }
        return help.text
    }

    /// The command line in short: `turnout decide --datafile FILE [OPTIONS]`.
    package var usage: String {
        let required = options.filter(\.isRequired).map(\.usage)
        return ([invocation] + required + ["[OPTIONS]"] + (operands.map { [$0.usage] } ?? [])).joined(separator: " ")
    }
}

extension CommandOption {
    /// Names without a letter are indented, so all names are aligned.
    fileprivate var label: String { (letter.map { "-\($0), " } ?? "    ") + usage }

    var explanation: String {
        var sentences = [help]
        if !allowedValues.isEmpty { sentences.append("One of: \(allowedValues.joined(separator: ", ")).") }
        if isCommaSeparated {
            sentences.append("Several are separated by commas.")
        } else if isRepeatable {
            sentences.append("May be repeated.")
        }
        if isRequired { sentences.append("Required.") }
        if let defaultValue { sentences.append("Default: \(defaultValue).") }
        return sentences.joined(separator: " ")
    }
}
