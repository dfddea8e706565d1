import TurnoutFlags

/// The syntax of a command, used for both parsing and help.
///
///     CommandSyntax(
///         name: "decide", summary: "Decides flags for users.",
///         options: [.value("--datafile", "FILE", "The datafile to decide with.").short("d").required()])
package struct CommandSyntax: Sendable, Equatable {
    /// The executable the command belongs to.
    package var tool = "turnout"
    /// The word after the tool: `decide`.
    package var name: String
    /// The purpose of the command, in one line.
    package var summary: String
    /// Details for the help text.
    ///
    /// Blank lines separate paragraphs; lines inside one are joined,
    /// except those that start with a space.
    package var discussion: String
    /// Arguments without a name; `nil` if the command takes none.
    package var operands: Operands?
    /// The options in the order of the help, without `--help`, which all commands have.
    package var options: [CommandOption]
    package var examples: [Entry]
    /// The members of what `--output json` prints; empty if the command prints no JSON.
    package var json: [Entry]

    package init(
        name: String, summary: String, discussion: String = "", operands: Operands? = nil,
        options: [CommandOption] = [], examples: KeyValuePairs<String, String> = [:],
        json: KeyValuePairs<String, String> = [:]
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.examples = examples.map { Entry($0, $1) }
        self.json = json.map { Entry($0, $1) }
    }

    /// The option that an argument, up to its `=`, names.
    func option(_ spelling: String) -> CommandOption? { options.first { $0.matches(spelling) } }

    /// The command as it is typed: `turnout decide`.
    package var invocation: String { tool + " " + name }

    /// The arguments of a command that have no name.
    package struct Operands: Sendable, Equatable {
        /// How they look in the usage line: `OLD NEW`, `[FILE...]`.
        package var usage: String
        package var help: String
        /// The number of accepted arguments.
        package var count: ClosedRange<Int>
        package var choices: Choices

        package init(_ usage: String, _ help: String, count: ClosedRange<Int>, choices: Choices = .files) {
            self.usage = usage
            self.help = help
            self.count = count
            self.choices = choices
        }

        /// What shells complete.
        package enum Choices: Sendable, Equatable {
            case files
            /// Words in place of the first argument, and names or files behind it.
            case words([String], then: Names? = nil)
            case names(Names)
        }

        /// Names of the project file.
        package enum Names: Sendable, Equatable {
            case flags
            case environments
            /// Paths, of which shells complete one step after the other.
            case places
        }
    }

    /// A command line with its purpose, or the way to a member of the JSON with its meaning: `findings[].line`, where
    /// `flags[]` is an element of a list.
    package struct Entry: Sendable, Equatable {
        package var text: String
        package var meaning: String

        package init(_ text: String, _ meaning: String) { (self.text, self.meaning) = (text, meaning) }
    }
}

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
            help.addEntries(json.map { ($0.text, $0.meaning) })
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

extension CommandSyntax {
    /// The request that the arguments of a command make.
    package enum Request: Sendable {
        case help
        case run(ParsedArguments)
    }

    /// Reads the arguments after the command's name.
    ///
    /// `--name value`, `--name=value`, `-n value` and `-n=value` mean the same; after `--` everything is an operand. A
    /// value that starts with two dashes, or looks like a one-letter option of this command, needs the form with `=`.
    /// `--help` takes precedence over any mistake, since users add it to a line that failed.
    ///
    /// - Throws: The first mistake, from left to right; then missing arguments.
    package func parse(_ arguments: [String]) throws(UsageError) -> Request {
        if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) { return .help }
        var parsed = ParsedArguments(options: options)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                parsed.operands += rest
                break
            } else if argument.utf8.first == UInt8(ascii: "-"), argument != "-" {
                try readOption(argument, rest: &rest, into: &parsed)
            } else {
                parsed.operands.append(argument)
            }
        }
        try checkCompleteness(of: parsed)
        return .run(parsed)
    }

    private func readOption(
        _ argument: String, rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
    ) throws(UsageError) {
        let (spelling, attached) = argument.divided(at: "=")
        guard let option = option(spelling) else {
            throw .unknownOption(spelling, nearest: nearest(to: argument, spelling: spelling))
        }
        guard option.placeholder != nil else {
            if let attached { throw .unexpectedValue(option: option.name, value: attached) }
            return parsed.add([], to: option)
        }
        guard option.isRepeatable || !parsed.has(option.name) else { throw .repeatedOption(option.name) }
        let value: String
        if let attached { value = attached } else { value = try nextValue(for: option, in: &rest) }
        guard !value.isEmpty || option.allowsEmptyValue else { throw .emptyValue(option: option.usage) }
        let values = option.isCommaSeparated ? value.elements(separatedBy: ",") : [value]
        for value in values { try check(value, for: option) }
        parsed.add(values, to: option)
    }

    private func nextValue(
        for option: CommandOption, in rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        // A forgotten value must not swallow the option behind it.
        guard let value = rest.popFirst() else { throw .missingValue(option: option.usage, found: nil) }
        let spelling = value.divided(at: "=").head
        if value.utf8.starts(with: "--".utf8) || options.contains(where: { $0.matches(spelling) }) {
            throw .missingValue(option: option.usage, found: value)
        }
        return value
    }

    private func nearest(to argument: String, spelling: String) -> String? {
        let attached = options.lazy.compactMap(\.letter).first { argument.utf8.starts(with: "-\($0)".utf8) }
        return Spelling.nearest(to: spelling, among: options.map(\.name) + ["--help"])
            ?? attached.map { "-\($0) \(argument.dropFirst(2))" }
    }

    private func check(_ value: String, for option: CommandOption) throws(UsageError) {
        let allowed = option.allowedValues
        guard allowed.isEmpty || allowed.contains(value) else {
            throw .invalidValue(
                option: option.name, value: value, expected: "one of " + allowed.joined(separator: ", "),
                nearest: Spelling.nearest(to: value, among: allowed))
        }
    }

    private func checkCompleteness(of parsed: ParsedArguments) throws(UsageError) {
        let count = operands?.count ?? 0...0
        if parsed.operands.count > count.upperBound {
            let takes = operands?.usage.filter { $0 != "[" && $0 != "]" } ?? ""
            throw .unexpectedOperand(parsed.operands[count.upperBound], takes: count.upperBound == 1 ? takes : "")
        }
        for option in options where option.isRequired && !parsed.has(option.name) {
            throw .missing(anyOf: [option.usage])
        }
        if let operands, parsed.operands.count < count.lowerBound {
            // `OLD NEW` without the arguments that are there.
            let missing = operands.usage.elements(separatedBy: " ").dropFirst(parsed.operands.count)
            throw .missing(anyOf: [missing.isEmpty ? operands.usage : missing.joined(separator: " ")])
        }
    }
}

extension String {
    /// The text before and after the first separator.
    ///
    /// By scalars, because a combining mark after the separator would form one character with it.
    func divided(at separator: Unicode.Scalar) -> (head: String, tail: String?) {
        guard let index = unicodeScalars.firstIndex(of: separator) else { return (self, nil) }
        return (String(unicodeScalars[..<index]), String(unicodeScalars[index...].dropFirst()))
    }

    /// The nonempty parts between separators.
    func elements(separatedBy separator: Unicode.Scalar) -> [String] {
        unicodeScalars.split(separator: separator).map { String($0) }
    }
}
