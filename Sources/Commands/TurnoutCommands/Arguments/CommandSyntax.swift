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
    package var examples: [Example]
    /// The members of what `--output json` prints; empty if the command prints no JSON.
    package var json: [JSONMember]

    package init(
        name: String, summary: String, discussion: String = "", operands: Operands? = nil,
        options: [CommandOption] = [], examples: [Example] = [], json: [JSONMember] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.examples = examples
        self.json = json
    }

    /// The command as it is typed: `turnout decide`.
    package var invocation: String { tool + " " + name }

    /// The arguments of a command that have no name.
    package struct Operands: Sendable, Equatable {
        /// How they look in the usage line: `OLD NEW`, `[FILE...]`.
        package var usage: String
        package var help: String
        /// The number of accepted arguments.
        package var count: ClosedRange<Int>
        /// The words to complete in place of the first of them; empty for names of files.
        package var words: [String]

        package init(_ usage: String, _ help: String, count: ClosedRange<Int>, words: [String] = []) {
            self.usage = usage
            self.help = help
            self.count = count
            self.words = words
        }
    }

    /// A member of the JSON that a command prints.
    package struct JSONMember: Sendable, Equatable {
        /// The way to it: `findings[].line`. `flags[]` is an element of a list.
        package var path: String
        /// The meaning, with its type unless that is clear.
        package var meaning: String

        package init(_ path: String, _ meaning: String) {
            self.path = path
            self.meaning = meaning
        }
    }

    package struct Example: Sendable, Equatable {
        package var commandLine: String
        /// The purpose of the command line.
        package var purpose: String

        package init(_ commandLine: String, _ purpose: String) {
            self.commandLine = commandLine
            self.purpose = purpose
        }
    }
}
